-- title: How many documents with a gain each topic has, the length of its ideal ranking, and the sum of their gains
-- parameters: gains
-- columns: qrels_id, topic_id
--   num_gained   judged documents with a gain above 0
--   total_gain   sum of their gains
select
    judged_documents.qrels_id,
    judged_documents.topic_id,
    count(*) as num_gained,
    sum(grade_gains.gain) as total_gain
from judged_documents
join grade_gains(gains := $gains) as grade_gains using (grade)
where grade_gains.gain > 0
group by judged_documents.qrels_id, judged_documents.topic_id
