-- title: Ranked rows from which judged_ranks is made: judged documents, and tied ones, which tell where a tie ends
-- inputs: ranked
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   first_rank    rank of the first document that the tie rule holds equal to it
--   document_id   key of the document
select
    run_id,
    topic_id,
    rank,
    tied_above,
    rank - tied_above as first_rank,
    document_id
from ranked
where
    tied_above > 0
    or exists (
        select 1
        from judged_documents
        where
            judged_documents.topic_id = ranked.topic_id
            and judged_documents.document_id = ranked.document_id
    )
