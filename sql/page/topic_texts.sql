-- title: The words of each topic's question, where they are loaded
-- parameters:
--   qrels varchar = null   judgment set
-- columns:
--   topic   topic
--   text    its text
select
    topics.topic,
    min(topic_meta.value) as text
from topic_meta
join topics on topics.topic_id = topic_meta.topic_id
join qrels on qrels.qrels_id = topic_meta.qrels_id
where
    topic_meta.key = 'text'
    and qrels.qrels = $qrels
group by topics.topic
