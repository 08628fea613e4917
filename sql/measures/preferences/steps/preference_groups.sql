-- title: Judgment groups of each topic, as preferences
-- columns:
--   qrels_id         key of the judgment set
--   topic_id         key of the topic
--   judgment_group   who judged
--   num_subgroups    subgroups that the group's preferences stand in
--   last_level       level of which the documents are cut to as many as are relevant where there are more
--                    that are not: the lowest; 0 in a group of several subgroups
select
    qrels_id,
    topic_id,
    judgment_group,
    count(distinct subgroup) as num_subgroups,
    case when count(distinct subgroup) = 1 then min(level) else cast(0 as double) end as last_level
from preference_levels
group by qrels_id, topic_id, judgment_group
