-- title: The calls of each topic of a run; a run without calls has one, if it has documents
-- columns: run_id, topic_id
--   call        place of the call among those of the topic
--   call_name   the call as the file names it; null where that is its place
--   num_ret     documents that the call retrieved
with called as (
    select *
    from call_ranks
    where run_id in (select run_id from asked_runs())
)
select
    run_id,
    topic_id,
    call,
    max(call_name) as call_name,
    count(*) as num_ret
from called
group by run_id, topic_id, call
union all
select
    run_id,
    topic_id,
    1 as call,
    null as call_name,
    num_ret
from run_topics
where
    num_ret > 0
    and run_id in (select run_id from asked_runs())
    and run_id not in (select run_id from called)
