-- title: What is evaluated of a portion of runs: each run on those of its topics that the portion has
-- inputs: portion_topics
-- columns:
--   evaluation_id   key; consecutive within a run
--   qrels_id        key of the judgment set
--   run_id          key of the run
--   topic_id        key of the topic
select
    cast(row_number() over (order by portion_topics.run_id, topics.topic_id) as integer) as evaluation_id,
    qrels.qrels_id,
    portion_topics.run_id,
    topics.topic_id
from portion_topics
join topics on topics.topic = portion_topics.topic
cross join qrels
