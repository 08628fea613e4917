-- title: What rankings made of calls cost, as the base table costs has it
-- inputs: listed_runs, call_windows
-- columns:
--   run_id     key of the ranking
--   topic_id   key of the topic; null for a number of the whole run
--   call       number of the call; null for a number of the whole topic
--   cost       what the number is
--   value      the number
-- definition: A call costs what was loaded for it. What was loaded for a topic is the cost of rankings that have all of its
--     calls, and what was loaded for the run of those that have all calls of every topic. A ranking has no other costs.
with num_calls as (
    select
        run_id,
        topic_id,
        max(call) as num_calls
    from call_ranks
    group by run_id, topic_id
)
select
    call_windows.list_id as run_id,
    costs.topic_id,
    costs.call,
    costs.cost,
    costs.value
from call_windows
join num_calls using (run_id, topic_id)
join costs using (run_id, topic_id)
where
    costs.call between call_windows.first_call and call_windows.last_call
    or (costs.call is null and call_windows.first_call = 1 and call_windows.last_call = num_calls.num_calls)
union all
-- Of the whole run, and of topics for which no call found anything.
select
    listed_runs.list_id as run_id,
    costs.topic_id,
    costs.call,
    costs.cost,
    costs.value
from listed_runs
join costs using (run_id)
left join num_calls using (run_id, topic_id)
where
    listed_runs.has_calls
    and listed_runs.is_whole
    and num_calls.run_id is null
