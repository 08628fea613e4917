-- title: Judgments as they would be without some documents
-- inputs: left_out
-- columns:
--   qrels_id      key of the judgment set
--   topic_id      key of the topic
--   document_id   key of the document
--   grade         its grade
select
    judged_documents.qrels_id,
    judged_documents.topic_id,
    judged_documents.document_id,
    judged_documents.grade
from judged_documents
left join left_out
    on left_out.qrels_id = judged_documents.qrels_id
    and left_out.topic_id = judged_documents.topic_id
    and left_out.document_id = judged_documents.document_id
where left_out.qrels_id is null
