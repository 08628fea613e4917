-- title: The place of each system by the mean of its latest run
-- inputs: shown_history
-- parameters:
--   measure varchar = null             canonical name of the measure
--   less_is_better boolean = false     whether the lesser value is better
-- columns: system, value
--   place      1 for the best; of equal ones for the name that comes first
-- definition: The input has rows of history of one judgment set. Of the same date the later name of a run is newer.
with loads as (
    select
        system,
        value,
        row_number() over (
            partition by system
            order by dated_at desc, run desc
        ) as age
    from shown_history
    where measure = $measure
)
select
    system,
    value,
    row_number() over (
        order by case when $less_is_better then value else -value end nulls last, system
    ) as place
from loads
where age = 1
