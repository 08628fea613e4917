-- title: How much two rankings that share one document from a place on overlap there and below
-- parameters: p = 0.95
-- columns:
--   place   a place, down to where no ranking and no ideal one goes or nothing is left
--   rest    sum of p^(d - 1) / d over the places d from here on
with recursive lengths as (
    select max(num_ret) as length
    from run_topics
    union all
    select count(*) as length
    from judged_documents
    where grade > 0
    group by qrels_id, topic_id
),
longest as (
    select max(length) as length
    from lengths
),
depths as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7. Below 1e-20 nothing is left of p^(d - 1).
    select 1 as place
    union all
    select 2 * depths.place + halves.half as place
    from depths
    join (select 0 as half union all select 1 as half) as halves
        on (2 * depths.place + halves.half) * ln($p) > -46.1
    join longest on longest.length >= 2 * depths.place + halves.half
)
select
    place,
    sum(pow($p, place - 1) / place) over (
        order by place desc
        rows between unbounded preceding and current row
    ) as rest
from depths
