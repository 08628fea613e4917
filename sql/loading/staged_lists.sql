-- title: What each staged file has of each topic, and whether its lines stand in the order of the ranking but for ties
-- inputs: marked_rows, staged_files
-- columns:
--   run_id       key of the run
--   topic_id     key of the topic
--   file_id      number of the staged file
--   topic        topic
--   start        position of the first row
--   is_ordered   whether all rows of the run's topic follow each other from there, none stronger than the one before
with parts as (
    select
        staged_files.owner_id as run_id,
        marked_rows.file_id,
        marked_rows.topic,
        min(marked_rows.position) as start,
        sum(case when marked_rows.starts or marked_rows.rises then 1 else 0 end) as num_breaks
    from marked_rows
    join staged_files on staged_files.file_id = marked_rows.file_id
    group by staged_files.owner_id, marked_rows.file_id, marked_rows.topic
)
select
    parts.run_id,
    topics.topic_id,
    parts.file_id,
    parts.topic,
    parts.start,
    sum(parts.num_breaks) over (partition by parts.run_id, parts.topic) = 1 as is_ordered
from parts
join topics on topics.topic = parts.topic
