-- title: Lines of a qrels file split at blanks and tabs, and which of them need the exact reader
-- inputs: raw
-- columns:
--   topic       topic
--   iteration   second column
--   document    document
--   grade       degree of relevance
--   doubtful    whether the line is anything but four columns with a whole number at the end
with split as (
    select list_filter(string_split(replace(line, chr(9), ' '), ' '), lambda part: part <> '') as parts
    from raw
    where line is not null
),
columns as (
    select
        list_extract(parts, 1) as topic,
        list_extract(parts, 2) as iteration,
        list_extract(parts, 3) as document,
        list_extract(parts, 4) as grade,
        len(parts) as num_columns
    from split
)
select
    topic,
    iteration,
    document,
    try_cast(grade as integer) as grade,
    num_columns <> 4
        or starts_with(topic, '#')
        or not regexp_full_match(grade, '-?[0-9]+')
        or try_cast(grade as integer) is null as doubtful
from columns
where num_columns > 0
