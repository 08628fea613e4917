-- title: Each cost of the evaluated topics for which it is known
-- columns: qrels, run, topic
--   cost       what the number is, its unit behind its name, as in latency_ms
--   value      the number of the topic
--   num_calls  calls of the topic that have a number of their own
-- definition: The number that was given for the topic; where only its calls have numbers, their sum.
with by_topic as (
    select
        run_id,
        topic_id,
        cost,
        max(case when call is null then value end) as of_topic,
        fsum(case when call is not null then value end) as of_calls,
        count(call) as num_calls
    from costs
    where
        topic_id is not null
        and run_id in (select run_id from asked_runs())
    group by run_id, topic_id, cost
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    by_topic.cost,
    coalesce(by_topic.of_topic, by_topic.of_calls) as value,
    by_topic.num_calls
from by_topic
join evaluated_topics using (run_id, topic_id)
