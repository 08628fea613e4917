-- title: Every document of each ranking down to a cutoff, with its grade if somebody judged it
-- parameters: k
-- columns: evaluation_id, qrels_id, topic_id, document_id
--   rank    its rank, under the run's tie rule
--   grade   its grade, 0 or more; null if nobody judged it
select
    evaluations.evaluation_id as evaluation_id,
    evaluations.qrels_id as qrels_id,
    evaluations.topic_id as topic_id,
    retrieved.document_id as document_id,
    retrieved.rank as rank,
    judged.grade as grade
from asked_evaluations() as evaluations
join asked_retrieved() as retrieved
    on retrieved.run_id = evaluations.run_id
    and retrieved.topic_id = evaluations.topic_id
left join asked_ranks() as judged
    on judged.evaluation_id = evaluations.evaluation_id
    and judged.rank = retrieved.rank
    and judged.rank <= coalesce($k, 2147483647)
    and judged.grade >= 0
where retrieved.rank <= coalesce($k, 2147483647)
