-- title: Rankings in which each document stands once, at the best of its ranks
-- inputs: ranked
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          rank from 1
--   first_rank    rank of the first document that is tied with it
--   document_id   key of the document
--   score         score as it stood in the file
with first_places as (
    select
        run_id,
        topic_id,
        rank,
        first_rank,
        document_id,
        score
    from ranked
    qualify row_number() over (partition by run_id, topic_id, document_id order by rank) = 1
)
select
    run_id,
    topic_id,
    cast(row_number() over (partition by run_id, topic_id order by rank) as integer) as rank,
    cast(rank() over (partition by run_id, topic_id order by first_rank) as integer) as first_rank,
    document_id,
    score
from first_places
