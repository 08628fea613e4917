-- title: The weight of each topic of each judgment set, where topics are weighted
-- columns: qrels, topic
--   weight   its weight, 1 where none was given
with judged_topics as (
    select distinct
        qrels_id,
        topic_id
    from judged_documents
)
select
    qrels.qrels,
    topics.topic,
    coalesce(topic_weights.weight, 1) as weight
from judged_topics
join qrels using (qrels_id)
join topics on topics.topic_id = judged_topics.topic_id
left join topic_weights
    on topic_weights.qrels_id = judged_topics.qrels_id
    and topic_weights.topic_id = judged_topics.topic_id
