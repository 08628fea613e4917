-- title: Ranks at which a ranking without end still gains, all of whose documents are relevant to all subtopics
-- parameters: alpha, k
--   k integer in [1, inf) = null   rank cutoff; null is all ranks that still change a sum, none where alpha is 0,
--                                  whose sums have no bound
-- columns:
--   rank   a rank that is counted
with recursive lengths as (
    select
        case
            when $alpha > 0 then least(coalesce($k, 2147483647), ceil(40 / $alpha))
            else coalesce($k, 0)
        end as length
),
numbers as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7.
    select
        cast(1 as bigint) as number,
        length
    from lengths
    where length >= 1
    union all
    select
        2 * numbers.number + halves.half as number,
        numbers.length
    from numbers
    join (select 0 as half union all select 1 as half) as halves
        on 2 * numbers.number + halves.half <= numbers.length
)
select number as rank
from numbers
