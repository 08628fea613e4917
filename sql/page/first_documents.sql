-- title: The first documents of rankings with their grades
-- inputs: chosen_lists
-- parameters:
--   depth integer in [1, inf) = 20   how many documents of each
-- columns: run, topic
--   rank       rank
--   document   document
--   grade      its grade; null if nobody judged it
select
    chosen_lists.run,
    chosen_lists.topic,
    retrieved.rank,
    documents.document,
    judged_documents.grade
from chosen_lists
join retrieved
    on retrieved.run_id = chosen_lists.run_id
    and retrieved.topic_id = chosen_lists.topic_id
join documents on documents.document_id = retrieved.document_id
left join judged_documents
    on judged_documents.qrels_id = chosen_lists.qrels_id
    and judged_documents.topic_id = chosen_lists.topic_id
    and judged_documents.document_id = retrieved.document_id
where retrieved.rank <= $depth
