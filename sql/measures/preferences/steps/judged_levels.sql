-- title: The levels that judgment groups give to documents: those of preferences, and grades
-- columns: qrels_id, topic_id
--   judgment_group   who judged; where the set is no preferences, the iteration
--   subgroup         documents compared with each other, part of a group
--   document_id      key of the document
--   level            a document is preferred to those of a lower level in its subgroup
--   has_subgroups    whether the group's documents are in several subgroups
--   is_repeated      whether a document of the topic has several levels: of several groups or in several subgroups
with levels as (
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
),
counted as (
    select
        *,
        count(*) over (partition by qrels_id, topic_id, document_id) as num_levels
    from levels
)
select
    qrels_id,
    topic_id,
    judgment_group,
    subgroup,
    document_id,
    level,
    min(subgroup) over judged < max(subgroup) over judged as has_subgroups,
    max(num_levels) over (partition by qrels_id, topic_id) > 1 as is_repeated
from counted
window judged as (partition by qrels_id, topic_id, judgment_group)
