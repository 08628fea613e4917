-- title: The first row of a topic that is of another call than a row of the topic above it
-- inputs: rows_with_calls
-- columns:
--   row         number of the row
--   topic       its topic
--   call        its call, as the file names it; empty where it names none
--   first_call  the call of the topic's first row
with calls as (
    select
        row,
        topic,
        coalesce(call, '') as call
    from rows_with_calls
),
first_calls as (
    select
        topic,
        arg_min(call, row) as first_call
    from calls
    group by topic
)
select
    calls.row,
    calls.topic,
    calls.call,
    first_calls.first_call
from calls
join first_calls
    on first_calls.topic = calls.topic
    and first_calls.first_call <> calls.call
order by calls.row
limit 1
