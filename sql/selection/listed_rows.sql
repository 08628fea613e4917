-- title: The documents of rankings made of calls, as the base table retrieved has them
-- inputs: united_calls
-- columns:
--   run_id        key of the ranking
--   topic_id      key of the topic
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
from united_calls
