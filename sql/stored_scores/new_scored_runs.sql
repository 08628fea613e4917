-- title: Runs of the staged scores that have no key yet
-- inputs: staged, staged_runs
-- columns:
--   run_id            key, going on from the greatest there is, in the order of the names
--   run               name of the run
--   tie_rule          how its documents were ordered where the scores were computed
--   lower_is_better   whether a smaller score is the better one
--   num_tags          0
--   duplicates        0
--   comments          empty
with greatest_key as (
    select coalesce(max(run_id), 0) as run_id
    from runs
),
unknown as (
    select
        staged_runs.run,
        min(staged_runs.tie_rule) as tie_rule,
        min(staged_runs.lower_is_better) as lower_is_better
    from staged_runs
    where
        staged_runs.run in (select staged.run from staged)
        and staged_runs.run not in (select runs.run from runs)
    group by staged_runs.run
)
select
    cast(greatest_key.run_id + row_number() over (order by unknown.run) as integer) as run_id,
    unknown.run,
    unknown.tie_rule,
    unknown.lower_is_better,
    0 as num_tags,
    0 as duplicates,
    '' as comments
from unknown
cross join greatest_key
