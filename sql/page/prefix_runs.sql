-- title: The runs that cut rankings belong to, as the base table runs has whole ones
-- inputs: prefix_keys
-- columns:
--   run_id   key
--   run      name
select
    runs.* replace (cut.run_id as run_id, cut.name as run)
from runs
join (select distinct run_id, name, whole_run_id from prefix_keys) as cut on cut.whole_run_id = runs.run_id
