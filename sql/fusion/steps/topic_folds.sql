-- title: The topics of a judgment set in parts, for learning from some and trying on the others
-- parameters: qrels, folds
-- columns: topic_id, topic
--   fold   its part, from 1
-- definition: Topics in the order of the MD5 of their names, dealt out in turn: the same on every machine, and parts
--     differ by one topic at most.
with judged_topics as (
    select distinct judged_documents.topic_id
    from judged_documents
    join named_qrels(names := $qrels) as held using (qrels_id)
    where held.qrels = $qrels
)
select
    topics.topic_id,
    topics.topic,
    (row_number() over (order by md5(topics.topic), topics.topic) - 1) % $folds + 1 as fold
from judged_topics
join topics using (topic_id)
