-- title: Lines of run files split at every blank and tab
-- inputs: lines
-- columns:
--   file_index   number of the file among those read together
--   topic        first column
--   unused       second column
--   document     third column
--   given_rank   fourth column
--   score        fifth column
--   tag          the sixth column where it is the last one, null where there are fewer, empty where there are more
with split as (
    select
        file_index,
        list_filter(string_split(replace(line, chr(9), ' '), ' '), lambda part: part <> '') as parts
    from lines
    where line is not null
)
select
    file_index,
    list_extract(parts, 1) as topic,
    list_extract(parts, 2) as unused,
    list_extract(parts, 3) as document,
    list_extract(parts, 4) as given_rank,
    list_extract(parts, 5) as score,
    case when len(parts) > 6 then '' else list_extract(parts, 6) end as tag
from split
where len(parts) > 0
