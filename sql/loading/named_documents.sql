-- title: Documents of the staged rows with their keys, and their places in the order of their names
-- inputs: staged_documents
-- columns:
--   document_id   key
--   document      name
--   place         place in the order of the names, by bytes, among these documents
select
    documents.document_id,
    documents.document,
    row_number() over (order by documents.document) as place
from staged_documents
join documents on documents.document = staged_documents.document
