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
join topics using (topic_id)
left join topic_weights using (qrels_id, topic_id)
