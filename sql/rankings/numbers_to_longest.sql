-- title: The numbers from 0 to the length of the longest ranking
-- columns:
--   number   how many documents some ranking may have
select 0 as number
union all
select rank as number
from ranks_to_longest
