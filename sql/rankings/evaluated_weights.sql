-- title: The weight of each topic that is evaluated
-- parameters: weighted
-- columns: evaluation_id, qrels_id, run_id, topic_id
--   weight   weight of the topic, 1 where none was given
select
    evaluations.evaluation_id as evaluation_id,
    evaluations.qrels_id as qrels_id,
    evaluations.run_id as run_id,
    evaluations.topic_id as topic_id,
    case when $weighted then coalesce(topic_weights.weight, 1) else 1 end as weight
from asked_evaluations() as evaluations
left join topic_weights using (qrels_id, topic_id)
