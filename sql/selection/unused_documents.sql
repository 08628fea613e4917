-- title: Documents that no run and no judgment refers to any more
-- columns:
--   document_id   key of the document
with used as (
    select document_id
    from retrieved
    union
    select document_id
    from assessments
    union
    select document_id
    from preferences
    union
    select document_id
    from judged_documents
    union
    select document_id
    from judged_ranks
)
select documents.document_id
from documents
left join used on used.document_id = documents.document_id
where used.document_id is null
