-- title: The numbers from 1 to a given one
-- parameters:
--   k integer in [1, inf) = 10   the last of them
-- columns:
--   k      the last of them
--   rank   a rank that a ranking of k documents has
with recursive numbers as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7.
    select
        cutoffs.k,
        1 as rank
    from cutoffs(k := $k) as cutoffs
    union all
    select
        numbers.k,
        2 * numbers.rank + halves.half as rank
    from numbers
    join (select 0 as half union all select 1 as half) as halves
        on 2 * numbers.rank + halves.half <= numbers.k
)
select
    numbers.k,
    numbers.rank
from numbers
