-- title: Documents of the staged rows with their keys
-- inputs: staged_documents
-- columns:
--   document_id   key
--   document      name
select
    documents.document_id,
    documents.document
from staged_documents
join documents on documents.document = staged_documents.document
