-- title: Every judgment, by name
-- columns: qrels, topic
--   iteration   second column of the file: round, subtopic, or nothing of importance
--   document    document
--   grade       degree of relevance; 0 is judged not relevant, below 0 is not judged either way
select
    qrels.qrels,
    topics.topic,
    assessments.iteration,
    documents.document,
    assessments.grade
from assessments
join qrels using (qrels_id)
join topics on topics.topic_id = assessments.topic_id
join documents on documents.document_id = assessments.document_id
