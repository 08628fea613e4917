-- title: Rankings made of calls, as the base table runs has runs
-- inputs: listed_runs
-- columns:
--   run_id            key of the ranking
--   run               its name
--   tag               as of the run
--   num_tags          as of the run
--   tie_rule          as of the run
--   lower_is_better   as of the run
--   duplicates        0: what is not in the ranking was not left out of it
--   depth             as of the run
--   judged_by         as of the run
--   comments          as of the run
--   meta              as of the run; each and cumulative make a system of their own of the first, the second and each
--                     further call
--   loaded_at         as of the run
--   evalsql_version   as of the run
select
    listed_runs.list_id as run_id,
    listed_runs.list as run,
    runs.tag,
    runs.num_tags,
    runs.tie_rule,
    runs.lower_is_better,
    cast(0 as bigint) as duplicates,
    runs.depth,
    runs.judged_by,
    runs.comments,
    case
        when listed_runs.place is null or runs.meta['system'] is null then runs.meta
        else map_concat(
            runs.meta,
            map {'system': runs.meta['system'] || substr(listed_runs.list, len(runs.run) + 1)}
        )
    end as meta,
    runs.loaded_at,
    runs.evalsql_version
from listed_runs
join runs using (run_id)
where listed_runs.has_calls
