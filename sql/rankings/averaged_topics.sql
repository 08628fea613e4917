-- title: The topics that means are over, of rankings and of answers
-- columns: evaluation_id, qrels_id, run_id, topic_id, qrels, run, topic
--   num_ret    number of documents retrieved; 0 of answers, whose evaluation_id is null
--   missing    whether the run leaves the topic out
--   answered   whether they are of answers
select
    *,
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
where
    kind = 'nuggets'
    -- If a run has assignments, these say which topics it answers.
    or not exists (
        select 1
        from nugget_assignments
        where
            nugget_assignments.run_id = answered_topics.run_id
            and nugget_assignments.qrels_id = answered_topics.qrels_id
    )
