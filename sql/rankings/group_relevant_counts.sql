-- title: How many relevant documents each judgment group of a topic has
-- parameters: rel
-- columns: qrels_id, topic_id, judgment_group
--   num_rel          relevant documents
select
    qrels_id,
    topic_id,
    iteration as judgment_group,
    count(case when grade >= $rel then 1 end) as num_rel
from assessments
group by qrels_id, topic_id, iteration
