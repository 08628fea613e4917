-- title: Documents of the staged rows with their keys, new ones for those that have none yet
-- inputs: staged
-- columns:
--   document_id   key; new ones go on from the greatest there is
--   document      name
--   is_new        whether the key is new
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
        documents.document_id
    from staged_documents
    left join documents on documents.document = staged_documents.document
)
select
    document_id,
    document,
    false as is_new
from known
where document_id is not null
union all
-- Numbered apart: to number rows as they come costs a tenth of a running count.
select
    cast(greatest_key.document_id + row_number() over () as integer) as document_id,
    known.document,
    true as is_new
from known
cross join greatest_key
where known.document_id is null
