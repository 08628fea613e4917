-- title: Runs to be fused, with their weights
-- parameters: runs, weights
-- columns:
--   place             place in the list, from 1
--   run_id            key of the run
--   run               run
--   lower_is_better   whether a smaller score is the better one
--   weight            its weight
select
    held.place,
    held.run_id,
    held.run,
    held.lower_is_better,
    coalesce(cast(trim(string_split($weights, ',')[held.place]) as double), 1) as weight
from known_runs(runs := $runs) as held
