-- title: Documents of the staged rows that have no key yet
-- inputs: staged_documents
-- columns:
--   document_id   key, going on from the greatest there is
--   document      name
with greatest_key as (
    select coalesce(max(document_id), 0) as document_id
    from documents
),
unknown as (
    select staged_documents.document
    from staged_documents
    where not exists (
        select 1
        from documents
        where documents.document = staged_documents.document
    )
)
select
    cast(greatest_key.document_id + row_number() over () as integer) as document_id,
    unknown.document
from unknown
cross join greatest_key
