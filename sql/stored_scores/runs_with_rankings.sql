-- title: Runs of staged scores whose rankings or answers are stored
-- inputs: staged
-- columns:
--   run   name of the run
select runs.run
from runs
where
    exists (
        select 1
        from staged
        where staged.run = runs.run
    )
    and (
        runs.run_id in (select run_topics.run_id from run_topics)
        or runs.run_id in (select evaluations.run_id from evaluations)
        or runs.run_id in (select nugget_assignments.run_id from nugget_assignments)
        or runs.run_id in (select answer_citations.run_id from answer_citations)
    )
