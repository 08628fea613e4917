-- title: Runs by a list of their names, in its order; all of them by name where there is none
-- parameters:
--   runs varchar = null   names of runs, separated by commas without blanks; null is all runs
-- columns:
--   place             place in the list, from 1
--   run_id            key of the run
--   run               run
--   lower_is_better   whether a smaller score is the better one
select
    row_number() over (
        order by
            case when $runs is null then 0 else position(',' || held.run || ',' in ',' || $runs || ',') end,
            held.run
    ) as place,
    held.run_id,
    held.run,
    held.lower_is_better
from runs as held
where
    $runs is null
    or position(',' || held.run || ',' in ',' || $runs || ',') > 0
