-- title: A given score as each run's tie rule compares it with its documents' scores
-- parameters:
--   threshold double in (-inf, inf) = null   score, in the run's own direction; null gives no rows
-- columns:
--   run_id     key of the run
--   strength   its strength, to be compared with those of scored
select
    run_id,
    strength($threshold, tie_rule, lower_is_better) as strength
from runs
where $threshold is not null
