-- title: From which call to which one a ranking has what a topic's calls found
-- inputs: listed_runs
-- parameters:
--   calls varchar in {first, last, best, each, cumulative} = each   which calls of a topic make a ranking
-- columns:
--   list_id      key of the ranking
--   run_id       key of the run
--   topic_id     key of the topic
--   first_call   first call
--   last_call    last call
with sessions as (
    select
        run_id,
        topic_id,
        max(call) as num_calls
    from call_ranks
    where run_id in (select run_id from listed_runs)
    group by run_id, topic_id
)
select
    listed_runs.list_id,
    listed_runs.run_id,
    sessions.topic_id,
    case $calls
        when 'last' then sessions.num_calls
        when 'each' then listed_runs.place
        else 1
    end as first_call,
    case $calls
        when 'first' then 1
        when 'each' then listed_runs.place
        else least(listed_runs.place, sessions.num_calls)
    end as last_call
from listed_runs
join sessions using (run_id)
where
    listed_runs.has_calls
    -- A topic that needed fewer calls has none of this place.
    and ($calls <> 'each' or listed_runs.place <= sessions.num_calls)
