-- title: The judgments of documents that staged judgments of their spans give
-- inputs: staged
-- columns: file_id, topic
--   iteration   0
--   document    document
--   grade       highest grade of its spans
select
    file_id,
    topic,
    '0' as iteration,
    document,
    max(grade) as grade
from staged
group by file_id, topic, document
