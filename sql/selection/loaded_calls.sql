-- title: How many calls runs have that were just loaded
-- inputs: loaded
-- columns:
--   num_calls    calls, of each topic
--   num_topics   topics that have calls, of each run
--   most_calls   calls of the topic that has most
--   by_number    whether they are in the order of their numbers; else as they first stood in the file
with sessions as (
    select
        run,
        topic,
        max(call) as num_calls,
        bool_and(coalesce(isfinite(try_cast(call_name as double)), false)) as are_numbers
    from call_rankings
    where run in (select run from loaded)
    group by run, topic
)
select
    cast(sum(num_calls) as bigint) as num_calls,
    count(*) as num_topics,
    max(num_calls) as most_calls,
    bool_and(are_numbers) as by_number
from sessions
having count(*) > 0
