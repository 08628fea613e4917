-- title: What each call of a topic adds to the calls before it
-- parameters: rel, dcg, gains
-- columns: qrels, run, topic
--   call           place of the call among those of the topic, from 1
--   call_name      the call as the file names it
--   num_ret        documents that the call retrieved
--   relevant       relevant documents among them
--   new_relevant   relevant documents among them that no call before has
--   found          relevant documents that this call and those before have
--   num_rel        relevant documents of the topic
--   new_gain       gain of the documents that no call before has
--   is_wasted      whether the call adds no relevant document
-- definition: Calls of the topics that are judged, also those that find nothing. A run without calls has one call.
-- reference: Jarvelin, Price, Delcambre and Nielsen 2008, Discounted cumulated gain based evaluation of multiple-query IR
--     sessions, doi:10.1007/978-3-540-78646-7_4
with counts as (
    select
        session_ranks.evaluation_id,
        session_ranks.call,
        count(*) filter (where session_ranks.grade >= $rel) as relevant,
        count(*) filter (where session_ranks.grade >= $rel and session_ranks.is_first) as new_relevant,
        sum(grade_gains.gain) filter (where session_ranks.is_first) as new_gain
    from session_ranks
    join grade_gains(dcg := $dcg, gains := $gains, min_rel := 0, max_rel := null) as grade_gains using (grade)
    group by session_ranks.evaluation_id, session_ranks.call
),
totals as (
    select
        qrels_id,
        topic_id,
        count(*) filter (where grade >= $rel) as num_rel
    from judged_documents
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    session_calls.call,
    coalesce(session_calls.call_name, cast(session_calls.call as varchar)) as call_name,
    session_calls.num_ret,
    coalesce(counts.relevant, 0) as relevant,
    coalesce(counts.new_relevant, 0) as new_relevant,
    cast(
        sum(coalesce(counts.new_relevant, 0)) over (
            partition by evaluated_topics.evaluation_id
            order by session_calls.call
        ) as bigint
    ) as found,
    totals.num_rel,
    coalesce(counts.new_gain, 0) as new_gain,
    coalesce(counts.new_relevant, 0) = 0 as is_wasted
from evaluated_topics
join session_calls using (run_id, topic_id)
join totals
    on totals.qrels_id = evaluated_topics.qrels_id
    and totals.topic_id = evaluated_topics.topic_id
left join counts
    on counts.evaluation_id = evaluated_topics.evaluation_id
    and counts.call = session_calls.call
