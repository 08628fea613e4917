-- title: How judgment sets judge each document
-- parameters: names, rel
-- columns: qrels_id, qrels, topic_id, document_id
--   rating   its grade, or 1 for relevant and 0 for not
-- definition: The one grade of each document; a negative grade is no judgment.
select
    listed.qrels_id,
    listed.qrels,
    judged_documents.topic_id,
    judged_documents.document_id,
    case
        when $rel is null then judged_documents.grade
        when judged_documents.grade >= $rel then 1
        else 0
    end as rating
from named_qrels(names := $names) as listed
join judged_documents using (qrels_id)
where judged_documents.grade >= 0
