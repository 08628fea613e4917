-- title: What the discounts of holes add up to, of the highest ones and of the lowest ones
-- parameters: k, discounted
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns: evaluation_id, qrels_id, topic_id
--   from_above   holes down to this one
--   from_below   holes from this one on
--   above        sum of the weights of those down to this one
--   below        sum of the weights of those from this one on
with weighted as (
    select
        evaluation_id,
        qrels_id,
        topic_id,
        rank,
        case when $discounted then 1 / log2(rank + 1) else 1 end as weight
    from hole_ranks(k := $k)
    where grade is null
)
select
    evaluation_id,
    qrels_id,
    topic_id,
    row_number() over down as from_above,
    row_number() over up as from_below,
    sum(weight) over down as above,
    sum(weight) over up as below
from weighted
window
    down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    ),
    up as (
        partition by evaluation_id
        order by rank desc
        rows between unbounded preceding and current row
    )
