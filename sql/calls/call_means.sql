-- title: What the first, the second and each further call of a run adds, over all topics
-- parameters: rel, dcg, gains
-- columns: qrels, run
--   call           place of the call among those of a topic, from 1
--   num_topics     topics that have a call of this place
--   new_relevant   relevant documents that it adds to the calls before, a mean over these topics
--   new_gain       gain that it adds, a mean over these topics
--   wasted         share of these topics in which it adds no relevant document
-- definition: Means over the topics that have so many calls, which get fewer from call to call: leaderboard --calls
--     cumulative compares the same topics.
-- reference: Jarvelin, Price, Delcambre and Nielsen 2008, Discounted cumulated gain based evaluation of multiple-query IR
--     sessions, doi:10.1007/978-3-540-78646-7_4
select
    qrels,
    run,
    call,
    count(*) as num_topics,
    avg(new_relevant) as new_relevant,
    avg(new_gain) as new_gain,
    avg(cast(is_wasted as integer)) as wasted
from call_gains(rel := $rel, dcg := $dcg, gains := $gains)
group by qrels, run, call
