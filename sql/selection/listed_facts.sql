-- title: Rankings made of calls as the base table runs has runs
-- inputs: listed_runs
-- columns:
--   run_id            key of the ranking
--   run               its name
--   tag               as of the run
--   num_tags          as of the run
--   tie_rule          as of the run
--   lower_is_better   as of the run
--   duplicates        as of the run
--   depth             as of the run
--   judged_by         as of the run
--   comments          as of the run
--   meta              as of the run
--   loaded_at         as of the run
--   evalsql_version   as of the run
select
    listed_runs.list_id as run_id,
    listed_runs.list as run,
    runs.tag,
    runs.num_tags,
    runs.tie_rule,
    runs.lower_is_better,
    runs.duplicates,
    runs.depth,
    runs.judged_by,
    runs.comments,
    runs.meta,
    runs.loaded_at,
    runs.evalsql_version
from listed_runs
join runs on runs.run_id = listed_runs.run_id
