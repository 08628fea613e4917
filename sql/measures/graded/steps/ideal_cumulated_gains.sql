-- title: What the ideal ranking of each topic has gained down to each of its ranks
-- parameters: gains
-- columns: qrels_id, topic_id
--   rank             rank in the ideal ranking, which holds positive gains only
--   cumulated_gain   sum of the gains down to it
select
    qrels_id,
    topic_id,
    rank,
    sum(gain) over (
        partition by qrels_id, topic_id
        order by rank
        rows between unbounded preceding and current row
    ) as cumulated_gain
from ideal_gains(gains := $gains)
