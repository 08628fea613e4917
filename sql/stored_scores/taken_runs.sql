-- title: Runs of staged scores with rankings, answers or other figures here: over collections, or of topics where those come now
-- inputs: staged
-- columns: run_id
--   run         name of the run
--   is_ranked   whether its rankings or answers are stored, from which figures are computed
select
    runs.run_id,
    runs.run,
    runs.run_id in (
        select run_id from run_topics
        union all
        select run_id from evaluations
        union all
        select run_id from judged_answers
    ) as is_ranked
from runs
join staged using (run)
group by runs.run_id, runs.run
having
    is_ranked
    or runs.run_id in (select collection_scores.run_id from collection_scores)
    or (count(staged.topic) < count(*) and runs.run_id in (select stored_scores.run_id from stored_scores))
