-- title: The calls of each topic in their order: numbers by value, other names as they first appear in the file
-- inputs: compared_rows
-- columns: run_id, topic_id
--   call_name   the call as the file names it
--   call        place of the call among those of the topic, from 1
--   list_id     key of a ranking for each run and place of a call
with calls as (
    select
        run_id,
        topic_id,
        call as call_name,
        try_cast(call as double) as number,
        min(position) as first_position
    from compared_rows
    group by run_id, topic_id, call
),
runs_by_number as (
    select
        run_id,
        bool_and(coalesce(isfinite(number), false)) as are_numbers
    from calls
    group by run_id
),
numbered as (
    select
        calls.run_id,
        calls.topic_id,
        calls.call_name,
        cast(
            row_number() over (
                partition by calls.run_id, calls.topic_id
                order by case when runs_by_number.are_numbers then calls.number end, calls.first_position
            ) as integer
        ) as call
    from calls
    join runs_by_number using (run_id)
)
select
    run_id,
    topic_id,
    call_name,
    call,
    cast(dense_rank() over (order by run_id, call) as integer) as list_id
from numbered
