-- title: Runs of the staged assignments of which something is held
-- inputs: staged
-- parameters:
--   qrels_id integer = null   key of the judgment set that has the nuggets
-- columns:
--   run_id       key of the run
--   run          name of the run
--   is_stored    whether only scores are stored of it
--   is_assigned  whether nuggets of the set are assigned to its answers
select
    runs.run_id,
    runs.run,
    runs.run_id in (select run_id from stored_scores union select run_id from collection_scores) as is_stored,
    runs.run_id in (select run_id from nugget_assignments where qrels_id = $qrels_id) as is_assigned
from runs
where runs.run in (select run from staged)
order by runs.run
