-- title: The rankings that a page shows or that are explained, with how they are ordered
-- inputs: chosen_runs, chosen_topics
-- parameters:
--   qrels varchar = null   judgment set
-- columns: evaluation_id, qrels_id, run_id, topic_id, topic
--   list              name of the run
--   tie_rule          how documents are ordered
--   lower_is_better   whether smaller scores are the better ones
--   missing           whether the run leaves the topic out
select
    evaluations.evaluation_id,
    evaluations.qrels_id,
    evaluations.run_id,
    evaluations.topic_id,
    topics.topic,
    runs.run as list,
    runs.tie_rule,
    runs.lower_is_better,
    run_topics.run_id is null as missing
from evaluations
join qrels using (qrels_id)
join runs on runs.run_id = evaluations.run_id
join topics on topics.topic_id = evaluations.topic_id
join chosen_runs on chosen_runs.run = runs.run
join chosen_topics on chosen_topics.topic = topics.topic
left join run_topics
    on run_topics.run_id = evaluations.run_id
    and run_topics.topic_id = evaluations.topic_id
where qrels.qrels = $qrels
