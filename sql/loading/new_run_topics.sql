-- title: Topics of runs just loaded
-- inputs: staged_runs
-- columns:
--   run_id     key of the run
--   topic_id   key of the topic
--   num_ret    number of documents retrieved
select
    retrieved.run_id,
    retrieved.topic_id,
    cast(count(*) as integer) as num_ret
from retrieved
join staged_runs on staged_runs.run_id = retrieved.run_id
group by retrieved.run_id, retrieved.topic_id
