-- title: Runs without rankings, of which scores, or assignments or citations of answers, are stored
-- columns: run_id
--   run   name of the run
with figures as (
    select run_id
    from stored_scores
    union
    select run_id
    from collection_scores
    union
    select run_id
    from judged_answers
    where run_id not in (select run_id from run_topics)
)
select
    runs.run_id,
    runs.run
from runs
where runs.run_id in (select run_id from figures)
