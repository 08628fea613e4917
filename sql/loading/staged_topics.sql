-- title: Topics of the staged files, and how many rows each has
-- inputs: staged
-- columns: file_id, topic
--   num_rows   rows
select
    file_id,
    topic,
    count(*) as num_rows
from staged
group by file_id, topic
