-- title: Topics of a judgment set that have nothing under any of some keys
-- inputs: given_keys
-- parameters:
--   qrels varchar = null   judgment set
-- columns: topic
select weighted_topics.topic
from weighted_topics
where
    weighted_topics.qrels = $qrels
    and weighted_topics.topic not in (
        select topics.topic
        from topic_meta
        join given_keys using (key)
        join topics using (topic_id)
        join qrels on qrels.qrels_id = topic_meta.qrels_id
        where qrels.qrels = $qrels
    )
order by weighted_topics.topic
