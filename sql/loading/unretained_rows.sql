-- title: Ranked rows that the base table retrieved does not have, with the column that it computes
-- inputs: ranked
-- columns: run_id, topic_id
--   rank          rank from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   first_rank    rank of the first document that the tie rule holds equal to it
--   document_id   key of the document
--   score         score
select
    run_id,
    topic_id,
    rank,
    tied_above,
    rank - tied_above as first_rank,
    document_id,
    score
from ranked
