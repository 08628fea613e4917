-- title: Runs of staged assignments or citations that have others beside the same nuggets already
-- inputs: staged, held
-- parameters:
--   qrels_id integer = null   key of the judgment set that has the nuggets
-- columns: run_id
--   run   name of the run
select
    runs.run_id,
    runs.run
from runs
where
    runs.run in (select run from staged)
    and runs.run_id in (select run_id from held where qrels_id = $qrels_id)
order by runs.run_id
