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
        tag = expected_tag or (tag is null and expected_tag is null) as same_tag
    from raw
)
-- A null makes the row doubtful. A number holds no blank, and Q0 none.
select
    file_id,
    topic,
    document,
    given_rank,
    score,
    (
        same_tag
        and isfinite(score)
        and not contains(score_text, '_')
        and not starts_with(topic, '#')
        and document is not null
        and unused is not null
        and rank_text is not null
        and (not $rank_is_used or (given_rank is not null and regexp_full_match(rank_text, '-?[0-9]+')))
        and (
            not $mixed
            or not (
                contains(topic, ' ')
                or contains(topic, chr(9))
                or contains(document, ' ')
                or contains(document, chr(9))
                or contains(rank_text, ' ')
                or contains(rank_text, chr(9))
                or (unused <> 'Q0' and (contains(unused, ' ') or contains(unused, chr(9))))
            )
        )
    ) is not true as doubtful
from converted
