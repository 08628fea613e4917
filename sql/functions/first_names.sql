-- title: The first five of some names, with commas between them, and dots where there are more
-- parameters:
--   names any = null   the names
-- definition: Null where there is no list.
array_to_string($names[:5], ', ') || case when len($names) > 5 then ', ...' else '' end
