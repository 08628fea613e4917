-- title: The topics that means are over, of rankings and of answers
-- columns:
--   evaluation_id   key of the evaluation; null of answers
--   qrels_id        key of the judgment set
--   run_id          key of the run
--   topic_id        key of the topic
--   qrels           judgment set
--   run             run
--   topic           topic
--   num_ret         number of documents retrieved; 0 of answers
--   missing         whether the run leaves the topic out
--   answered        whether they are of answers
select
    evaluation_id,
    qrels_id,
    run_id,
    topic_id,
    qrels,
    run,
    topic,
    num_ret,
    missing,
    false as answered
from evaluated_topics
union all
select
    cast(null as integer) as evaluation_id,
    qrels_id,
    run_id,
    topic_id,
    qrels,
    run,
    topic,
    0 as num_ret,
    missing,
    true as answered
from answered_topics
union all
select
    cast(null as integer) as evaluation_id,
    qrels_id,
    run_id,
    topic_id,
    qrels,
    run,
    topic,
    0 as num_ret,
    missing,
    true as answered
from cited_topics
where
    -- Of a run with assignments these say which topics it answers.
    not exists (
        select 1
        from nugget_assignments
        where
            nugget_assignments.run_id = cited_topics.run_id
            and nugget_assignments.qrels_id = cited_topics.qrels_id
    )
