-- title: Ranked rows as the base table holds them
-- inputs: ranked
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    run_id,
    topic_id,
    rank,
    rank - first_rank as tied_above,
    document_id,
    score
from ranked
