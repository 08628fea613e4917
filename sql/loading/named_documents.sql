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
),
numbered as (
    select
        document,
        document_id,
        sum(case when document_id is null then 1 else 0 end) over (rows unbounded preceding) as nth_new
    from known
)
select
    cast(coalesce(numbered.document_id, greatest_key.document_id + numbered.nth_new) as integer) as document_id,
    numbered.document,
    numbered.document_id is null as is_new
from numbered
cross join greatest_key
