-- title: Rows of runs with their rank by score, documents of equal strength in the reverse order of their names
-- inputs: scored
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    place of the first document of the same strength
--   document_id   key of the document
--   score         score as it stood in the file
select
    scored.run_id,
    scored.topic_id,
    cast(row_number() over (
        partition by scored.run_id, scored.topic_id
        order by scored.strength desc, named_documents.place desc
    ) as integer) as rank,
    cast(rank() over (
        partition by scored.run_id, scored.topic_id
        order by scored.strength desc
    ) as integer) as first_rank,
    scored.document_id,
    scored.score
from scored
join named_documents on named_documents.document_id = scored.document_id
