-- title: Pairs of documents of which a judgment group prefers one to the other
-- columns:
--   qrels_id         key of the judgment set
--   topic_id         key of the topic
--   judgment_group   who prefers
--   better_id        key of the document preferred
--   worse_id         key of the other document
--   share            1 divided by the number of groups that prefer either of the two to the other
with recursive stated as (
    select
        better.qrels_id as qrels_id,
        better.topic_id as topic_id,
        better.judgment_group as judgment_group,
        preference_groups.num_subgroups as num_subgroups,
        better.document_id as better_id,
        worse.document_id as worse_id
    from preference_levels as better
    join preference_levels as worse
        on worse.qrels_id = better.qrels_id
        and worse.topic_id = better.topic_id
        and worse.judgment_group = better.judgment_group
        and worse.subgroup = better.subgroup
        and worse.level < better.level
    join preference_groups
        on preference_groups.qrels_id = better.qrels_id
        and preference_groups.topic_id = better.topic_id
        and preference_groups.judgment_group = better.judgment_group
),
partly_stated as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        better_id,
        worse_id
    from stated
    where num_subgroups > 1
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
    where num_subgroups = 1
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
    cast(1 as double) / count(*) over (
        partition by
            qrels_id,
            topic_id,
            least(better_id, worse_id),
            greatest(better_id, worse_id)
    ) as share
from preferred
