-- title: Pairs of documents of which a judgment group prefers one to the other
-- definition: Within a subgroup a document is preferred to those of a lower level. A group of several subgroups also
--    prefers a to c if it prefers a to b and b to c.
-- parameters:
--   listed varchar in {all, repeated} = all   of all topics, or of those that have a document with several levels
-- columns: qrels_id, topic_id
--   judgment_group   who prefers; where the set is no preferences, the iteration
--   better_id        key of the document preferred
--   worse_id         key of the other document
--   num_groups       groups that prefer either of the two to the other
with recursive group_levels as (
    select *
    from judged_levels
    where
        $listed = 'all'
        or is_repeated
),
stated as (
    select
        better.qrels_id as qrels_id,
        better.topic_id as topic_id,
        better.judgment_group as judgment_group,
        better.has_subgroups as has_subgroups,
        better.document_id as better_id,
        worse.document_id as worse_id
    from group_levels as better
    join group_levels as worse
        on worse.qrels_id = better.qrels_id
        and worse.topic_id = better.topic_id
        and worse.judgment_group = better.judgment_group
        and worse.subgroup = better.subgroup
        and worse.level < better.level
),
partly_stated as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        better_id,
        worse_id
    from stated
    where has_subgroups
),
implied as (
    -- Within one subgroup every pair that follows is stated; of several subgroups it may come from two.
    select
        qrels_id,
        topic_id,
        judgment_group,
        better_id,
        worse_id
    from partly_stated
    union
    select
        implied.qrels_id,
        implied.topic_id,
        implied.judgment_group,
        implied.better_id,
        partly_stated.worse_id
    from implied
    join partly_stated
        on partly_stated.qrels_id = implied.qrels_id
        and partly_stated.topic_id = implied.topic_id
        and partly_stated.judgment_group = implied.judgment_group
        and partly_stated.better_id = implied.worse_id
),
preferred as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        better_id,
        worse_id
    from stated
    where not has_subgroups
    union all
    select
        qrels_id,
        topic_id,
        judgment_group,
        better_id,
        worse_id
    from implied
)
select
    qrels_id,
    topic_id,
    judgment_group,
    better_id,
    worse_id,
    count(*) over (
        partition by
            qrels_id,
            topic_id,
            least(better_id, worse_id),
            greatest(better_id, worse_id)
    ) as num_groups
from preferred
