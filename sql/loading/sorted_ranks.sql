-- title: Ranks of the staged rows of topics whose lines do not stand in the order of the ranking
-- inputs: keyed_rows
-- columns:
--   position      place of the row among the staged ones
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    place of the first document that is tied with it
--   document_id   key of the document
--   score         score as it stood in the file
select
    position,
    run_id,
    topic_id,
    cast(
        row_number() over (
            partition by run_id, topic_id
            order by given, strength desc, document desc
        ) as integer
    ) as rank,
    cast(
        rank() over (
            partition by run_id, topic_id
            order by given, strength desc
        ) as integer
    ) as first_rank,
    document_id,
    score
from keyed_rows
where not is_ordered
