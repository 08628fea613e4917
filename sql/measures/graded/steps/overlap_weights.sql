-- title: How much a document adds to the overlap of two rankings that both hold it from a depth on
-- parameters: p = 0.95, asked
--   asked integer? in [1, inf) = null   a depth that is asked for, also where no ranking goes
-- columns:
--   depth    a depth, down to where no ranking, no ideal one and no question goes or nothing is left
--   weight   sum of p^(d - 1) / d over the depths d from this one on
with recursive lengths as (
    select max(num_ret) as length
    from run_topics
    union all
    select count(*) as length
    from judged_documents
    where grade > 0
    group by qrels_id, topic_id
    union all
    select $asked as length
),
longest as (
    select max(length) as length
    from lengths
),
depths as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7. Below 1e-20 nothing is left of p^(d - 1).
    select 1 as depth
    union all
    select 2 * depths.depth + halves.half as depth
    from depths
    join (select 0 as half union all select 1 as half) as halves
        on (2 * depths.depth + halves.half) * ln($p) > -46.1
    join longest on longest.length >= 2 * depths.depth + halves.half
)
select
    depth,
    sum(pow($p, depth - 1) / depth) over (
        order by depth desc
        rows between unbounded preceding and current row
    ) as weight
from depths
