-- title: Staged judgments with each document once for a topic, at the highest of its grades
-- inputs: staged
-- columns:
--   topic       topic
--   iteration   iteration of the judgment kept
--   document    document
--   grade       highest grade
--   times       how often the document is judged for the topic
select
    topic,
    arg_max(iteration, grade) as iteration,
    document,
    max(grade) as grade,
    count(*) as times
from staged
group by topic, document
