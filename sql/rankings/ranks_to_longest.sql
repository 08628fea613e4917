-- title: The numbers from 1 to the length of the longest ranking
-- columns:
--   rank   a rank that some ranking has
with recursive numbers as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7.
    select 1 as rank
    from (select max(num_ret) as length from run_topics) as longest
    where longest.length >= 1
    union all
    select 2 * numbers.rank + halves.half as rank
    from numbers
    join (select 0 as half union all select 1 as half) as halves on true
    join (select max(num_ret) as length from run_topics) as longest
        on 2 * numbers.rank + halves.half <= longest.length
)
select rank
from numbers
