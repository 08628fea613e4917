-- title: How many calls runs have that were just loaded
-- inputs: loaded
-- columns:
--   num_calls    calls, of each topic
--   num_topics   topics that have calls, of each run
--   most_calls   calls of the topic that has most
--   first_ranks  ranks down to which the run has documents of the first call alone, on topics of several calls
--   by_number    whether they are in the order of their numbers; else as they first stood in the file
with sessions as (
    select
        call_ranks.run_id,
        call_ranks.topic_id,
        max(call_ranks.call) as num_calls,
        count(*) filter (where call_ranks.call = 1) as num_first,
        bool_and(
            call_ranks.call_name is null or coalesce(isfinite(try_cast(call_ranks.call_name as double)), false)
        ) as are_numbers
    from call_ranks
    join runs on runs.run_id = call_ranks.run_id
    where runs.run in (select run from loaded)
    group by call_ranks.run_id, call_ranks.topic_id
)
select
    cast(sum(num_calls) as bigint) as num_calls,
    count(*) as num_topics,
    max(num_calls) as most_calls,
    min(num_first) filter (where num_calls > 1) as first_ranks,
    bool_and(are_numbers) as by_number
from sessions
having count(*) > 0
