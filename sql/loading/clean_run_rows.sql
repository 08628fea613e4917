-- title: Rows of run files as read with a fixed delimiter, and which of them need the exact reader
-- inputs: raw
-- columns:
--   file_id      number of the staged file
--   topic        topic
--   document     document
--   given_rank   rank column, null where it is no whole number
--   score        score, null where it is no number
--   doubtful     whether splitting at any blank could give something else, or the row is not plain data
with converted as (
    select
        file_id,
        topic,
        unused,
        document,
        given_rank as rank_text,
        try_cast(given_rank as integer) as given_rank,
        score as score_text,
        try_cast(score as double) as score,
        rank_is_used,
        tag is distinct from expected_tag as other_tag
    from raw
)
-- A number holds no blank, and Q0 none; only what is neither is searched for one. A null makes the row doubtful.
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
        or contains(topic, ' ')
        or contains(topic, chr(9))
        or contains(document, ' ')
        or contains(document, chr(9))
        or (unused <> 'Q0' and (contains(unused, ' ') or contains(unused, chr(9))))
        or (
            given_rank is null
            and (rank_text is null or contains(rank_text, ' ') or contains(rank_text, chr(9)))
        )
        or (rank_is_used and not regexp_full_match(rank_text, '-?[0-9]+')),
        true
    ) as doubtful
from converted
