-- title: What each place gains for a subtopic to which every document of a ranking without end is relevant
-- parameters: alpha, k
--   k integer in [1, inf) = null   rank cutoff; null is all places that still change a sum, none where alpha is 0,
--                                  whose sums have no bound
-- columns:
--   rank   place in the ranking
--   gain   (1 - alpha)^(rank - 1)
with recursive bits as (
    select 0 as bit
    union all
    select 1 as bit
),
lengths as (
    select
        case
            when $alpha > 0 then least(coalesce($k, 2147483647), ceil(40 / $alpha))
            else coalesce($k, 0)
        end as length
),
numbers as (
    -- Each number gives the two that have its digits to the base of 2 and one more.
    select
        cast(1 as bigint) as number,
        length
    from lengths
    where length >= 1
    union all
    select
        2 * numbers.number + bits.bit as number,
        numbers.length
    from numbers
    cross join bits
    where 2 * numbers.number + bits.bit <= numbers.length
)
select
    number as rank,
    pow(1 - $alpha, number - 1) as gain
from numbers
