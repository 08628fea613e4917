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
with totals as (
    select
        run_id,
        topic_id,
        count(*) as num_calls
    from session_calls
    group by run_id, topic_id
),
useful as (
    select
        evaluation_id,
        count(distinct call) as num_calls
    from session_ranks
    where is_first and grade >= $rel
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(coalesce(totals.num_calls, 0) - coalesce(useful.num_calls, 0) as double) as value
from evaluated_topics
left join totals using (run_id, topic_id)
left join useful using (evaluation_id)
