-- title: The documents of cut lists, in the order of the base table retrieved
-- inputs: cut_lists, listed
-- columns:
--   run_id        key of the cut list
--   topic_id      key of the topic
--   rank          rank in the list
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    cut_lists.run_id,
    listed.topic_id,
    listed.rank,
    listed.tied_above,
    listed.document_id,
    listed.score
from cut_lists
join listed
    on listed.list = cut_lists.list
    and listed.rank <= cut_lists.num_kept
order by cut_lists.run_id, listed.topic_id, listed.rank
