-- title: Rows of runs with their rank by what the file says of it; those given the same by score, then by name
-- inputs: scored
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    the same: no documents are held equal
--   document_id   key of the document
--   score         score as it stood in the file
with ordered as (
    select
        scored.run_id,
        scored.topic_id,
        cast(row_number() over (
            partition by scored.run_id, scored.topic_id
            order by scored.rank, scored.strength desc, named_documents.place desc
        ) as integer) as rank,
        scored.document_id,
        scored.score
    from scored
    join named_documents on named_documents.document_id = scored.document_id
)
select
    run_id,
    topic_id,
    rank,
    rank as first_rank,
    document_id,
    score
from ordered
