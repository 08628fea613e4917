-- title: Rankings of schemas before 4, which stored the rank of the first tied document, as the base table has them
-- inputs: ranked
-- columns: run_id, topic_id
--   rank          rank from 1
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
order by run_id, topic_id, rank
