-- title: Runs of staged results with their keys, each with what is known of it
-- inputs: staged_results, result_values
-- columns:
--   run_id            key, going on from the greatest there is, in the order of the names
--   run               name of the run
--   tie_rule          how documents were ordered: unknown
--   lower_is_better   whether a smaller score is the better one: false
--   num_tags          0
--   duplicates        0
--   comments          empty
--   meta              system, version, collection and what else the files say
with greatest_key as (
    select coalesce(max(run_id), 0) as run_id
    from runs
),
named as (
    select
        run,
        arg_min(map(keys, facts), (file, line)) as meta
    from staged_results
    where
        staged_results.run in (select result_values.run from result_values)
        and staged_results.run not in (select runs.run from runs)
    group by run
)
select
    cast(greatest_key.run_id + row_number() over (order by named.run) as integer) as run_id,
    named.run,
    'unknown' as tie_rule,
    false as lower_is_better,
    0 as num_tags,
    0 as duplicates,
    '' as comments,
    named.meta
from named
cross join greatest_key
