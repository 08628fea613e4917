-- title: How many subtopics each topic has; one without a relevant document is none
-- parameters: rel
-- columns: qrels_id, topic_id
--   num_subtopics   iterations of its judgments that have a relevant document
select
    qrels_id,
    topic_id,
    count(distinct iteration) as num_subtopics
from assessments
where grade >= $rel
group by qrels_id, topic_id
