-- title: What each ranking has gained down to each of its documents that have a gain
-- shared: yes
-- parameters: gains, ties
-- columns: evaluation_id
--   rank             rank of the document
--   gain             its gain
--   cumulated_gain   sum of the gains down to it
--   dcg              sum of gain / log2(rank + 1) down to it
select
    evaluation_id,
    rank,
    gain,
    sum(gain) over gained_down as cumulated_gain,
    sum(gain / log2(rank + 1)) over gained_down as dcg
from gains_by_rank(gains := $gains, ties := $ties)
window gained_down as (
    partition by evaluation_id
    order by rank
    rows between unbounded preceding and current row
)
