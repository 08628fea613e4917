-- title: How many documents with a gain each topic has, which is the length of its ideal ranking
-- parameters: gains
-- columns:
--   qrels_id     key of the judgment set
--   topic_id     key of the topic
--   num_gained   judged documents with a gain above 0
select
    qrels_id,
    topic_id,
    count(*) as num_gained
from ideal_gains(gains := $gains)
group by qrels_id, topic_id
