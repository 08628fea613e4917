-- title: Rows of JSON that is {topic: {document: value}}
-- inputs: objects
-- columns:
--   topic      name in the outer object
--   document   name in the inner object, null where there is none
--   value      what stands behind it, as text
with topics as (
    select unnest(coalesce(map_entries(cast(json as map(varchar, map(varchar, varchar)))), [null])) as entry
    from objects
)
select
    entry.key as topic,
    unnest(coalesce(map_keys(entry.value), [null])) as document,
    unnest(coalesce(map_values(entry.value), [null])) as value
from topics
