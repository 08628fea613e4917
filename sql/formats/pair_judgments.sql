-- title: Judgments made of pairs that are relevant to each other
-- inputs: pairs
-- parameters:
--   with_self boolean = false   whether a topic may be relevant to itself
-- columns: topic
--   iteration   0
--   document    document that is relevant to it
--   grade       1
select distinct
    topic,
    '0' as iteration,
    document,
    1 as grade
from pairs
where
    $with_self
    or topic <> document
