-- title: How many subtopics each topic has; one without a relevant document is none
-- parameters: rel
-- columns:
--   qrels_id        key of the judgment set
--   topic_id        key of the topic
--   num_subtopics   iterations of its judgments that have a relevant document
select
    qrels_id,
    topic_id,
    count(*) as num_subtopics
from group_relevant_counts(rel := $rel)
where num_rel > 0
group by qrels_id, topic_id
