-- title: Rankings cut at a depth, then without the documents that a judgment set does not judge
-- inputs: ranked
-- parameters:
--   depth integer in [1, inf) = null       documents to keep of each topic; null is all
--   judged_by integer = null               key of the judgment set; a negative grade is no judgment; null keeps all
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          rank from 1
--   first_rank    rank of the first document kept that is tied with it
--   document_id   key of the document
--   score         score as it stood in the file
with kept as (
    select
        run_id,
        topic_id,
        rank,
        first_rank,
        document_id,
        score
    from ranked
    where
        rank <= coalesce($depth, rank)
        and (
            $judged_by is null
            or exists (
                select 1
                from judged_documents
                where
                    judged_documents.qrels_id = $judged_by
                    and judged_documents.topic_id = ranked.topic_id
                    and judged_documents.document_id = ranked.document_id
                    and judged_documents.grade >= 0
            )
        )
)
select
    run_id,
    topic_id,
    cast(row_number() over (partition by run_id, topic_id order by rank) as integer) as rank,
    cast(rank() over (partition by run_id, topic_id order by first_rank) as integer) as first_rank,
    document_id,
    score
from kept
