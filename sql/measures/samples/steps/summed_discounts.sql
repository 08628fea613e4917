-- title: The sum of the discounts of DCG down to each rank, as far as an estimated ideal ranking goes
-- columns:
--   rank      a rank, or 0
--   total     sum of 1 / log2(rank + 1) down to this rank
with recursive longest as (
    select ceil(max(num_docs)) + 1 as length
    from (
        select sum(1 / probability) as num_docs
        from sampled_documents
        where grade >= 0
        group by qrels_id, topic_id
    ) as topics
),
numbers as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7.
    select 1 as rank
    from longest
    where length >= 1
    union all
    select 2 * numbers.rank + halves.half as rank
    from numbers
    join (select 0 as half union all select 1 as half) as halves on true
    join longest on 2 * numbers.rank + halves.half <= longest.length
)
select
    0 as rank,
    cast(0 as double) as total
union all
select
    rank,
    sum(1 / log2(rank + 1)) over (
        order by rank
        rows between unbounded preceding and current row
    ) as total
from numbers
