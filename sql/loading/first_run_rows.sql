-- title: Those of the first lines of run files that have a number for a score, as comments and headers have not
-- inputs: first_lines
-- columns: file_id
--   line          number of the line
--   num_columns   how many columns it has
--   topic         first column
--   second        second column
--   document      third column
--   rank          fourth column, null where it is no number
--   score         fifth column
--   tag           columns behind the score
with split as (
    select
        cast(file_id as integer) as file_id,
        cast(line as integer) as line,
        list_filter(string_split_regex(text, '[ \t\r\n\f\v]+'), lambda piece: piece <> '') as parts
    from first_lines
    where not starts_with(text, '#')
),
converted as (
    select
        file_id,
        line,
        len(parts) as num_columns,
        list_extract(parts, 1) as topic,
        list_extract(parts, 2) as second,
        list_extract(parts, 3) as document,
        try_cast(list_extract(parts, 4) as double) as rank,
        try_cast(list_extract(parts, 5) as double) as score,
        array_to_string(list_slice(parts, 6, len(parts)), ' ') as tag
    from split
)
select
    file_id,
    line,
    num_columns,
    topic,
    second,
    document,
    case when not isnan(rank) then rank end as rank,
    score,
    tag
from converted
where not isnan(score)
