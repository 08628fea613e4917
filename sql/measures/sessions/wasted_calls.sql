-- measure: WastedCalls
-- title: Calls that add no relevant document to those found before
-- parameters: rel
-- definition: Calls of the topic that have no relevant document, or only such as calls before them have. A topic that the
--    run leaves out has no calls, and so none in vain.
-- reference: Jarvelin, Price, Delcambre and Nielsen 2008, Discounted cumulated gain based evaluation of multiple-query IR
--    sessions, doi:10.1007/978-3-540-78646-7_4, whose gain such a call does not raise
-- differs: Nothing known.
-- range: 0 inf
-- mean: arithmetic
-- better: less
-- holes: none, a document may be found by several calls
-- scores: no
-- example: calls WastedCalls = 2
with useful_calls as (
    select distinct
        evaluation_id,
        call
    from session_ranks
    where is_first and grade >= $rel
),
wasted as (
    select
        evaluations.evaluation_id,
        count(*) as num_calls
    from asked_evaluations() as evaluations
    join session_calls
        on session_calls.run_id = evaluations.run_id
        and session_calls.topic_id = evaluations.topic_id
    left join useful_calls
        on useful_calls.evaluation_id = evaluations.evaluation_id
        and useful_calls.call = session_calls.call
    where useful_calls.call is null
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(coalesce(wasted.num_calls, 0) as double) as value
from evaluated_topics
left join wasted on wasted.evaluation_id = evaluated_topics.evaluation_id
