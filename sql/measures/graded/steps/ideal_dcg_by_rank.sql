-- title: The ideal ranking of each topic, place by place
-- parameters: gains
-- columns:
--   qrels_id     key of the judgment set
--   topic_id     key of the topic
--   rank         place in the ideal ranking, which holds positive gains only
--   gain         gain at this place
--   next_gain    gain at the next place; null at the last
--   idcg         discounted cumulative gain down to this place
--   cost         sum down to this place of the gain, or 1 where it is less
select
    qrels_id,
    topic_id,
    rank,
    gain,
    lead(gain) over progress as next_gain,
    sum(gain * ln(2) / ln(rank + 1)) over progress as idcg,
    sum(greatest(gain, 1)) over progress as cost
from ideal_gains(gains := $gains)
window progress as (
    partition by qrels_id, topic_id
    order by rank
    rows between unbounded preceding and current row
)
