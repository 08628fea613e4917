-- title: How many documents have a text, and how large these are
-- columns:
--   num_documents   documents that runs retrieved or judgments name
--   num_texts       of these, those with a title or a text
--   num_bytes       size of the titles and texts as UTF-8
select
    (select count(*) from documents) as num_documents,
    count(*) as num_texts,
    cast(coalesce(sum(strlen(coalesce(title, '')) + strlen(coalesce(text, ''))), 0) as bigint) as num_bytes
from document_texts
