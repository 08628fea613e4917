-- title: The documents whose texts are kept when a corpus is loaded
-- parameters:
--   judged_only boolean = false   whether only judged documents are among them, or retrieved ones too
-- columns:
--   document      name
--   document_id   key
--   has_text      whether its title or text is there already
select
    documents.document,
    documents.document_id,
    documents.document_id in (select document_id from document_texts) as has_text
from documents
where
    not $judged_only
    or documents.document_id in (
        select document_id from assessments
        union
        select document_id from preferences
    )
