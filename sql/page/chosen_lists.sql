-- title: The rankings whose first documents a page shows
-- inputs: chosen_runs, chosen_topics
-- parameters:
--   qrels varchar = null   judgment set
-- columns: evaluation_id, qrels_id, run_id, topic_id, run, topic
select
    evaluations.evaluation_id,
    evaluations.qrels_id,
    evaluations.run_id,
    evaluations.topic_id,
    runs.run,
    topics.topic
from evaluations
join qrels on qrels.qrels_id = evaluations.qrels_id
join runs on runs.run_id = evaluations.run_id
join topics on topics.topic_id = evaluations.topic_id
join chosen_runs on chosen_runs.run = runs.run
join chosen_topics on chosen_topics.topic = topics.topic
where qrels.qrels = $qrels
