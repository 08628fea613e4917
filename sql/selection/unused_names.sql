-- title: Topics and documents that no run and no judgment refers to any more
-- columns:
--   relation   topics or documents
--   id         key of the topic or the document
select
    'topics' as relation,
    topic_id as id
from topics
where topic_id not in (
    select topic_id from run_topics
    union
    select topic_id from evaluations
    union
    select topic_id from assessments
    union
    select topic_id from preferences
    union
    select topic_id from judged_documents
    union
    select topic_id from judged_spans
    union
    select topic_id from judgment_samples
    union
    select topic_id from nuggets
    union
    select topic_id from topic_weights
    union
    select topic_id from topic_meta
    union
    select topic_id from stored_scores
    union
    select topic_id from costs where topic_id is not null
)
union all
select
    'documents' as relation,
    document_id as id
from documents
where document_id not in (
    select document_id from retrieved
    union
    select document_id from retrieved_spans
    union
    select document_id from judged_spans
    union
    select document_id from assessments
    union
    select document_id from preferences
    union
    select document_id from judgment_samples
    union
    select document_id from judged_documents
    union
    select document_id from judged_ranks
)
