-- title: The documents of cut rankings, as the base table retrieved has those of whole ones
-- inputs: prefix_keys, retrieved
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    prefix_keys.run_id,
    prefix_keys.topic_id,
    retrieved.rank,
    retrieved.tied_above,
    retrieved.document_id,
    retrieved.score
from prefix_keys
join retrieved
    on retrieved.run_id = prefix_keys.whole_run_id
    and retrieved.topic_id = prefix_keys.topic_id
    and retrieved.rank <= prefix_keys.num_kept
