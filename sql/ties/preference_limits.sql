-- title: How many documents of each judgment group are relevant or not, and how many of the latter may count
-- parameters:
--   pairs varchar in {all, retrieved} = all   whether documents that are not retrieved count
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   who judged
--   num_subgroups    subgroups that the group's preferences stand in
--   num_rel          relevant documents
--   num_rel_ret      relevant documents retrieved
--   num_surplus      relevant documents less those that are not, both among the documents that count
--   most_last        of the documents at the last level the most that are kept if num_surplus is below 0
with counted as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        preference_documents.judgment_group as judgment_group,
        max(preference_documents.num_subgroups) as num_subgroups,
        count(case when preference_documents.is_rel then 1 end) as num_rel,
        count(case when preference_documents.is_rel then preference_ranks.rank end) as num_rel_ret,
        count(case when preference_documents.is_nonrel then 1 end) as num_nonrel,
        count(case when preference_documents.is_nonrel then preference_ranks.rank end) as num_nonrel_ret
    from evaluated_topics
    join preference_documents
        on preference_documents.qrels_id = evaluated_topics.qrels_id
        and preference_documents.topic_id = evaluated_topics.topic_id
    left join preference_ranks
        on preference_ranks.evaluation_id = evaluated_topics.evaluation_id
        and preference_ranks.document_id = preference_documents.document_id
    group by evaluated_topics.evaluation_id, preference_documents.judgment_group
)
select
    evaluation_id,
    judgment_group,
    num_subgroups,
    num_rel,
    num_rel_ret,
    case when $pairs = 'all' then num_rel - num_nonrel else num_rel_ret - num_nonrel_ret end as num_surplus,
    case when $pairs = 'all' or num_subgroups > 1 then num_rel else num_rel_ret end as most_last
from counted
