-- title: Ranks of judged documents for new pairs of judgment set and run
-- inputs: new_pairs
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place in the ranking
--   grade           the document's grade
select
    evaluations.evaluation_id,
    retrieved.rank,
    assessments.grade
from new_pairs
join evaluations
    on evaluations.qrels_id = new_pairs.qrels_id
    and evaluations.run_id = new_pairs.run_id
join assessments
    on assessments.qrels_id = evaluations.qrels_id
    and assessments.topic_id = evaluations.topic_id
join retrieved
    on retrieved.run_id = evaluations.run_id
    and retrieved.topic_id = evaluations.topic_id
    and retrieved.document_id = assessments.document_id
order by evaluations.evaluation_id, retrieved.rank
