-- title: Levels by which documents are preferred to each other, of every judgment set
-- columns:
--   qrels_id         key of the judgment set
--   topic_id         key of the topic
--   judgment_group   who judged; where the set is no preferences, the iteration
--   subgroup         documents compared with each other; where the set is no preferences, 0 for all of them
--   document_id      key of the document
--   level            the document is preferred to those of a lower level in its subgroup; where the set is no
--                    preferences, the grade, a negative one too
select
    qrels_id,
    topic_id,
    judgment_group,
    subgroup,
    document_id,
    level
from preferences
union all
select
    qrels_id,
    topic_id,
    iteration as judgment_group,
    '0' as subgroup,
    document_id,
    cast(grade as double) as level
from assessments
