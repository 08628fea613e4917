-- title: Recall after each call: how much the calls of a run have found so far, over all topics
-- parameters: rel
-- columns: qrels, run
--   call         place of the call among those of a topic, from 1
--   num_topics   topics that have a call of this place
--   recall       relevant documents that this call and those before have, divided by those of the topic; a mean over all
--                judged topics, 0 for those without relevant documents and those that the run leaves out
-- definition: A topic that needed fewer calls keeps what its last one found. It is R of leaderboard --calls cumulative.
-- reference: Jarvelin, Price, Delcambre and Nielsen 2008, Discounted cumulated gain based evaluation of multiple-query IR
--     sessions, doi:10.1007/978-3-540-78646-7_4
with gains as (
    select
        qrels,
        run,
        topic,
        call,
        found,
        num_rel
    from call_gains(rel := $rel, dcg := 'log2', gains := null)
),
places as (
    select distinct
        qrels,
        run,
        call
    from gains
),
reached as (
    select
        places.qrels,
        places.run,
        places.call,
        evaluated_topics.topic,
        max(gains.found) / nullif(max(gains.num_rel), 0) as recall,
        max(gains.call) as last_call
    from places
    join evaluated_topics using (qrels, run)
    left join gains
        on gains.qrels = places.qrels
        and gains.run = places.run
        and gains.topic = evaluated_topics.topic
        and gains.call <= places.call
    group by places.qrels, places.run, places.call, evaluated_topics.topic
)
select
    qrels,
    run,
    call,
    count(*) filter (where last_call = call) as num_topics,
    avg(coalesce(recall, 0)) as recall
from reached
group by qrels, run, call
