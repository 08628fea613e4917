-- title: How many documents of each kind a topic has among its judgments
-- shared: yes
-- parameters: rel
-- columns: qrels_id, topic_id
--   num_rel      relevant documents
--   num_nonrel   documents judged not relevant; a negative grade is no judgment
select
    qrels_id,
    topic_id,
    count(case when grade >= $rel then 1 end) as num_rel,
    count(case when grade >= 0 and grade < $rel then 1 end) as num_nonrel
from judged_documents
group by qrels_id, topic_id
