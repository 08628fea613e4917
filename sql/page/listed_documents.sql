-- title: The documents of chosen rankings with their grades
-- inputs: chosen_lists
-- parameters:
--   depth integer in [1, inf) = null   how many documents of each; all by default
-- columns:
--   list          name of the list
--   topic_id      key of the topic
--   topic         topic
--   rank          rank in the list
--   tied_above    documents above it that the tie rule holds equal to it
--   document_id   key of the document
--   document      document
--   score         score as it stood in the file
--   grade         its grade; null if nobody judged it
select
    chosen_lists.list,
    chosen_lists.topic_id,
    chosen_lists.topic,
    retrieved.rank,
    retrieved.tied_above,
    retrieved.document_id,
    documents.document,
    retrieved.score,
    judged_documents.grade
from chosen_lists
join retrieved using (run_id, topic_id)
join documents using (document_id)
left join judged_documents
    on judged_documents.qrels_id = chosen_lists.qrels_id
    and judged_documents.topic_id = chosen_lists.topic_id
    and judged_documents.document_id = retrieved.document_id
where retrieved.rank <= coalesce($depth, retrieved.rank)
