-- title: Documents of each judgment group, as preferences
-- columns:
--   qrels_id         key of the judgment set
--   topic_id         key of the topic
--   judgment_group   who judged
--   document_id      key of the document
--   num_subgroups    subgroups that the group's preferences stand in
--   is_rel           whether it is relevant: its level is above 0
--   is_nonrel        whether it is judged not relevant: its level is 0, or below 0 in a group of one subgroup
--   is_last          whether it is one of those that are cut to as many as are relevant
with levels as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        document_id,
        max(level) as level
    from preference_levels
    group by qrels_id, topic_id, judgment_group, document_id
)
select
    levels.qrels_id as qrels_id,
    levels.topic_id as topic_id,
    levels.judgment_group as judgment_group,
    levels.document_id as document_id,
    preference_groups.num_subgroups as num_subgroups,
    levels.level > 0 as is_rel,
    levels.level = 0 or (levels.level < 0 and preference_groups.num_subgroups = 1) as is_nonrel,
    levels.level = preference_groups.last_level as is_last
from levels
join preference_groups
    on preference_groups.qrels_id = levels.qrels_id
    and preference_groups.topic_id = levels.topic_id
    and preference_groups.judgment_group = levels.judgment_group
