-- title: The documents of the rankings that are cut
-- inputs: chosen_lists
-- parameters:
--   depth integer in [1, inf) = null   how many documents of each; all by default
-- columns:
--   list          name of the list
--   topic_id      key of the topic
--   rank          rank in the list
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    chosen_lists.list,
    chosen_lists.topic_id,
    retrieved.rank,
    retrieved.tied_above,
    retrieved.document_id,
    retrieved.score
from chosen_lists
join retrieved
    on retrieved.run_id = chosen_lists.run_id
    and retrieved.topic_id = chosen_lists.topic_id
where retrieved.rank <= coalesce($depth, retrieved.rank)
