-- title: Rows of run files as read with a fixed delimiter, and which of them need the exact reader
-- inputs: raw
-- parameters:
--   rank_is_used boolean = false   whether the tie rule goes by the rank column
--   mixed boolean = false          whether the files hold both blanks and tabs, one of which is the delimiter
-- columns:
--   file_id      number of the staged file
--   topic        topic
--   document     document
--   given_rank   rank column, null where it is not used or no whole number
--   score        score, null where it is no number
--   doubtful     whether splitting at any blank could give something else, or the row is not plain data
with converted as (
    select
        file_id,
        topic,
        unused,
        document,
        given_rank as rank_text,
        case when $rank_is_used then try_cast(given_rank as integer) end as given_rank,
        score as score_text,
        try_cast(score as double) as score,
        tag is distinct from expected_tag as other_tag
    from raw
)
-- A null makes the row doubtful. A number holds no blank, and Q0 none.
select
    file_id,
    topic,
    document,
    given_rank,
    score,
    coalesce(
        other_tag
        or not isfinite(score)
        or contains(score_text, '_')
        or starts_with(topic, '#')
        or document is null
        or unused is null
        or rank_text is null
        or ($rank_is_used and not regexp_full_match(rank_text, '-?[0-9]+'))
        or (
            $mixed
            and (
                contains(topic, ' ')
                or contains(topic, chr(9))
                or contains(document, ' ')
                or contains(document, chr(9))
                or contains(rank_text, ' ')
                or contains(rank_text, chr(9))
                or (unused <> 'Q0' and (contains(unused, ' ') or contains(unused, chr(9))))
            )
        ),
        true
    ) as doubtful
from converted
