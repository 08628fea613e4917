-- title: The documents of each topic's judgments with how they were drawn
-- columns: qrels_id, topic_id, document_id
--   grade         its grade; a negative one is in the pool and not judged
--   stratum       stratum that it was drawn from; '' where the judgments are no sample
--   probability   how likely it was to be judged; 1 where the judgments are no sample
select
    judged_documents.qrels_id,
    judged_documents.topic_id,
    judged_documents.document_id,
    judged_documents.grade,
    coalesce(judgment_samples.stratum, '') as stratum,
    coalesce(judgment_samples.probability, 1) as probability
from judged_documents
left join judgment_samples using (qrels_id, topic_id, document_id)
