-- title: For each topic of new runs all of its calls, from which the run's one ranking is made
-- inputs: new_runs
-- columns:
--   list_id      key of the run, as a list
--   run_id       key of the run
--   topic_id     key of the topic
--   first_call   1
--   last_call    its last call
select
    run_id as list_id,
    run_id,
    topic_id,
    1 as first_call,
    max(call) as last_call
from call_ranks
where run_id in (select run_id from new_runs)
group by run_id, topic_id
