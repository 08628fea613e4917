-- title: Lines of run files split at every blank and tab, and which of them need the exact reader
-- inputs: lines
-- parameters:
--   rank_is_used boolean = false   whether the tie rule goes by the rank column
-- columns: file_id, topic
--   document     document
--   given_rank   rank column, null where it is not used or no whole number
--   score        score, null where it is no number
--   doubtful     whether the row is not plain data, or its tag is not that of the first row
with pieces as (
    select
        file_id,
        expected_tag,
        case
            when contains(line, ' ') then string_split(replace(line, chr(9), ' '), ' ')
            else string_split(line, chr(9))
        end as pieces
    from lines
    where line is not null
),
split as (
    select
        file_id,
        expected_tag,
        case
            when list_contains(pieces, '') then list_filter(pieces, lambda piece: piece <> '')
            else pieces
        end as parts
    from pieces
),
converted as (
    select
        file_id,
        expected_tag,
        list_extract(parts, 1) as topic,
        list_extract(parts, 3) as document,
        list_extract(parts, 4) as rank_text,
        case when $rank_is_used then try_cast(list_extract(parts, 4) as integer) end as given_rank,
        list_extract(parts, 5) as score_text,
        try_cast(list_extract(parts, 5) as double) as score,
        case
            when len(parts) > 6 then array_to_string(list_slice(parts, 6, len(parts)), ' ')
            else coalesce(list_extract(parts, 6), '')
        end as tag
    from split
)
-- A null makes the row doubtful, a line of nothing but blanks too: a filter on parts would split every line twice.
select
    file_id,
    topic,
    document,
    given_rank,
    score,
    (
        tag = expected_tag
        and isfinite(score)
        and not contains(score_text, '_')
        and not starts_with(topic, '#')
        and (not $rank_is_used or (given_rank is not null and regexp_full_match(rank_text, '-?[0-9]+')))
    ) is not true as doubtful
from converted
