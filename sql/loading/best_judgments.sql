-- title: Staged judgments with each document once for a topic or for each of its groups, at the highest grade
-- inputs: staged
-- parameters:
--   in_groups boolean = false   whether each iteration is a group of its own
-- columns: topic
--   iteration   iteration of the judgment kept, the first of several with the highest grade
--   document    document
--   grade       highest grade
select
    topic,
    arg_max(iteration, row(grade, -line)) as iteration,
    document,
    max(grade) as grade
from staged
group by topic, document, case when $in_groups then iteration end
