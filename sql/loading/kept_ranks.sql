-- title: Rankings with each document once, at the best of its ranks, cut at a depth and then kept to judged documents
-- inputs: ranked
-- parameters:
--   depth integer in [1, inf) = null       documents to keep of each topic; null is all
--   judged_by integer = null               key of the judgment set; a negative grade is no judgment; null keeps all
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    documents kept above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
with best as (
    select
        run_id,
        topic_id,
        rank,
        rank - tied_above as first_rank,
        document_id,
        score
    from ranked
    qualify row_number() over (partition by run_id, topic_id, document_id order by rank) = 1
),
numbered as (
    select
        run_id,
        topic_id,
        row_number() over (partition by run_id, topic_id order by rank) as rank,
        first_rank,
        document_id,
        score
    from best
),
kept as (
    select
        run_id,
        topic_id,
        rank,
        first_rank,
        document_id,
        score
    from numbered
    where
        rank <= coalesce($depth, rank)
        and (
            $judged_by is null
            or exists (
                select 1
                from judged_documents
                where
                    judged_documents.qrels_id = $judged_by
                    and judged_documents.topic_id = numbered.topic_id
                    and judged_documents.document_id = numbered.document_id
                    and judged_documents.grade >= 0
            )
        )
)
select
    run_id,
    topic_id,
    cast(row_number() over (partition by run_id, topic_id order by rank) as integer) as rank,
    cast(
        row_number() over (partition by run_id, topic_id order by rank)
        - rank() over (partition by run_id, topic_id order by first_rank) as integer
    ) as tied_above,
    document_id,
    score
from kept
