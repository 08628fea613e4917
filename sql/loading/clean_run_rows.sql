-- title: Rows of run files as read with a fixed delimiter, and which of them need the exact reader
-- inputs: raw
-- columns:
--   file_id      number of the staged file
--   topic        topic
--   document     document
--   given_rank   rank column, null where it is no whole number
--   score        score, null where it is no number
--   doubtful     whether splitting at any blank could give something else, or the row is not plain data
select
    file_id,
    topic,
    document,
    try_cast(given_rank as integer) as given_rank,
    try_cast(score as double) as score,
    topic is null
    or unused is null
    or document is null
    or given_rank is null
    or score is null
    or tag is distinct from expected_tag
    or starts_with(topic, '#')
    or starts_with(topic, chr(65279))
    or contains(topic, chr(0))
    or contains(document, chr(0))
    or contains(topic, ' ')
    or contains(topic, chr(9))
    or contains(unused, ' ')
    or contains(unused, chr(9))
    or contains(document, ' ')
    or contains(document, chr(9))
    or contains(given_rank, ' ')
    or contains(given_rank, chr(9))
    or contains(score, '_')
    or (rank_is_used and try_cast(given_rank as integer) is null)
    or not coalesce(isfinite(try_cast(score as double)), false) as doubtful
from raw
