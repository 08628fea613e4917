-- title: Topics of runs just loaded, those of which nothing was kept with them
-- inputs: staged_runs, coded
-- columns:
--   run_id     key of the run
--   topic_id   key of the topic
--   num_ret    number of documents kept
with present as (
    select distinct
        run_id,
        topic_id
    from coded
),
kept as (
    select
        retrieved.run_id,
        retrieved.topic_id,
        count(*) as num_ret
    from retrieved
    join staged_runs on staged_runs.run_id = retrieved.run_id
    group by retrieved.run_id, retrieved.topic_id
)
select
    present.run_id,
    present.topic_id,
    cast(coalesce(kept.num_ret, 0) as integer) as num_ret
from present
left join kept
    on kept.run_id = present.run_id
    and kept.topic_id = present.topic_id
