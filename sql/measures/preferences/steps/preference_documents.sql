-- title: The documents of each judgment group, as preferences, with their ranks in each ranking
-- columns: evaluation_id
--   judgment_group   who judged; where the set is no preferences, the iteration
--   has_subgroups    whether the group's documents are in several subgroups
--   document_id      key of the document
--   document         its name
--   is_rel           whether it is relevant: its level is above 0
--   is_nonrel        whether it is judged not relevant: its level is 0, or below 0 in a group of one subgroup
--   is_last          whether it is at the level that is cut to as many documents as are relevant: the lowest, or 0 in a
--                    group of several subgroups
--   rank             its rank; null where it is not retrieved
--   first_rank       rank of the first document tied with it; its own rank where there is none
with group_levels as (
    select
        *,
        min(level) over (partition by qrels_id, topic_id, judgment_group) as lowest_level
    from judged_levels
),
group_documents as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        has_subgroups,
        document_id,
        max(level) as level,
        case when has_subgroups then cast(0 as double) else lowest_level end as last_level
    from group_levels
    group by qrels_id, topic_id, judgment_group, has_subgroups, lowest_level, document_id
)
select
    evaluations.evaluation_id as evaluation_id,
    group_documents.judgment_group as judgment_group,
    group_documents.has_subgroups as has_subgroups,
    group_documents.document_id as document_id,
    documents.document as document,
    group_documents.level > 0 as is_rel,
    group_documents.level = 0 or (group_documents.level < 0 and not group_documents.has_subgroups) as is_nonrel,
    group_documents.level = group_documents.last_level as is_last,
    -- Elsewhere tied documents are in descending order of their names, here in ascending order.
    judged_ranks.first_rank + judged_ranks.last_rank - judged_ranks.rank as rank,
    judged_ranks.first_rank as first_rank
from asked_evaluations() as evaluations
join group_documents
    on group_documents.qrels_id = evaluations.qrels_id
    and group_documents.topic_id = evaluations.topic_id
join documents on documents.document_id = group_documents.document_id
left join asked_ranks() as judged_ranks
    on judged_ranks.evaluation_id = evaluations.evaluation_id
    and judged_ranks.document_id = group_documents.document_id
