-- title: Stored scores of the runs and measures of which others are staged
-- inputs: staged
-- columns: qrels_id, run_id, measure
--   run   name of the run
select distinct
    stored_scores.qrels_id,
    stored_scores.run_id,
    stored_scores.measure,
    runs.run
from staged
join qrels using (qrels)
join runs on runs.run = staged.run
join stored_scores
    on stored_scores.qrels_id = qrels.qrels_id
    and stored_scores.run_id = runs.run_id
    and stored_scores.measure = staged.measure
