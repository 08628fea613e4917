-- title: The rows every measure answers for: each run on each topic of the judgments it is evaluated with
-- shared: yes
-- columns: evaluation_id, qrels_id, run_id, topic_id, qrels, run, topic
--   num_ret   number of documents retrieved; 0 for a topic the run leaves out
--   missing   whether the run leaves the topic out
select
    evaluations.evaluation_id as evaluation_id,
    evaluations.qrels_id as qrels_id,
    evaluations.run_id as run_id,
    evaluations.topic_id as topic_id,
    qrels.qrels,
    runs.run,
    topics.topic,
    coalesce(run_topics.num_ret, 0) as num_ret,
    run_topics.run_id is null as missing
from evaluations
join qrels using (qrels_id)
join asked_runs() as runs on runs.run_id = evaluations.run_id
join topics on topics.topic_id = evaluations.topic_id
left join run_topics
    on run_topics.run_id = evaluations.run_id
    and run_topics.topic_id = evaluations.topic_id
