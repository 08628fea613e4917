-- title: The documents of the judgments that are retrieved, at their ranks, with how they were drawn
-- columns: evaluation_id, document_id
--   rank          its rank
--   grade         its grade; a negative one is in the pool and not judged
--   stratum       stratum that it was drawn from
--   probability   how likely it was to be judged
select
    asked_ranks.evaluation_id as evaluation_id,
    asked_ranks.document_id as document_id,
    asked_ranks.rank as rank,
    asked_ranks.grade as grade,
    sampled_documents.stratum as stratum,
    sampled_documents.probability as probability
from asked_ranks() as asked_ranks
join asked_evaluations() as evaluations using (evaluation_id)
join sampled_documents
    on sampled_documents.qrels_id = evaluations.qrels_id
    and sampled_documents.topic_id = evaluations.topic_id
    and sampled_documents.document_id = asked_ranks.document_id
