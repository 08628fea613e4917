-- title: What the ideal ranking of each topic has gained down to each of its ranks
-- parameters: gains
-- columns: qrels_id, topic_id
--   rank             rank in the ideal ranking, which holds positive gains only
--   cumulated_gain   sum of the gains down to it
--   cost             the same with each gain raised to 1 where it is less
--   dcg              sum of gain / log2(rank + 1) down to it
select
    qrels_id,
    topic_id,
    rank,
    sum(gain) over ideal_down as cumulated_gain,
    sum(greatest(gain, 1)) over ideal_down as cost,
    sum(gain / log2(rank + 1)) over ideal_down as dcg
from ideal_gains(gains := $gains)
window ideal_down as (
    partition by qrels_id, topic_id
    order by rank
    rows between unbounded preceding and current row
)
