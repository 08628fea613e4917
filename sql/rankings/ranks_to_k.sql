-- title: Ranks down to a cutoff, or to where a sum of terms that shrink does not change any more
-- parameters: alpha, k
--   alpha double in [0, 1] = 0     by which share each term is less than the one before
--   k integer in [1, inf) = null   rank cutoff; null is all ranks that still change a sum, none where alpha is 0,
--                                  whose sums have no bound
-- columns:
--   last_rank   last rank of the cutoff
--   rank        a rank that is counted
with recursive lengths as (
    select
        cutoffs.last_rank,
        case
            when $alpha > 0 then least(cutoffs.last_rank, ceil(40 / $alpha))
            else coalesce(cutoffs.k, 0)
        end as length
    from cutoffs(k := $k) as cutoffs
),
numbers as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7.
    select
        last_rank,
        cast(1 as bigint) as number,
        length
    from lengths
    where length >= 1
    union all
    select
        numbers.last_rank,
        2 * numbers.number + halves.half as number,
        numbers.length
    from numbers
    join (select 0 as half union all select 1 as half) as halves
        on 2 * numbers.number + halves.half <= numbers.length
)
select
    last_rank,
    number as rank
from numbers
