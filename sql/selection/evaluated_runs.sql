-- title: Which runs have values by topic, and which figures over collections
-- columns: run_id
--   run            name of the run
--   is_evaluated   whether its rankings are evaluated, or its answers were judged
--   is_stored      whether its values were computed elsewhere and are stored
--   has_figures    whether figures over whole collections are stored
select
    run_id,
    run,
    run_id in (
        select run_id from evaluations
        union all
        select run_id from judged_answers
    ) as is_evaluated,
    run_id in (select run_id from stored_scores) as is_stored,
    run_id in (select run_id from collection_scores) as has_figures
from runs
