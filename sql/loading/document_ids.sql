-- title: Documents of the staged rows with their keys, new ones for those that have none yet
-- inputs: staged
-- columns:
--   document_id   key; new ones go on from the greatest there is, in the order of the names
--   document      name
--   is_new        whether the key is new
--   name_rank     rank of the name among these, by its bytes
with greatest_key as (
    select coalesce(max(document_id), 0) as document_id
    from documents
),
staged_documents as (
    select distinct document
    from staged
),
known as (
    select
        staged_documents.document,
        documents.document_id,
        documents.document_id is null as is_new
    from staged_documents
    left join documents using (document)
)
select
    coalesce(
        known.document_id,
        cast(greatest_key.document_id + row_number() over (partition by known.is_new order by known.document) as integer)
    ) as document_id,
    known.document,
    known.is_new,
    cast(row_number() over (order by known.document) as integer) as name_rank
from known
cross join greatest_key
