-- title: Topics of runs just loaded, those of which nothing was kept with them
-- inputs: ranked, staged_files, staged_topics
-- columns: run_id, topic_id
--   num_ret   number of documents kept
with present as (
    select distinct
        staged_files.owner_id as run_id,
        topics.topic_id
    from staged_topics
    join staged_files using (file_id)
    join topics using (topic)
),
kept as (
    select
        run_id,
        topic_id,
        count(*) as num_ret
    from ranked
    group by run_id, topic_id
)
select
    present.run_id,
    present.topic_id,
    cast(coalesce(kept.num_ret, 0) as integer) as num_ret
from present
left join kept using (run_id, topic_id)
