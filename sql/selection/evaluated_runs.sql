-- title: Runs whose rankings are evaluated, or whose answers were judged
-- columns: run_id
--   run   name of the run
select
    run_id,
    run
from runs
where
    run_id in (
        select run_id from evaluations
        union all
        select run_id from judged_answers
    )
