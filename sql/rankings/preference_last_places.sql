-- title: Places, among those at the last level of their judgment group, of the documents there
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   who judged
--   document_id      key of the document
--   place            place by rank, those not retrieved after the others in ascending order of their names
--   is_ret           whether the document is retrieved
select
    evaluated.evaluation_id as evaluation_id,
    preference_documents.judgment_group as judgment_group,
    preference_documents.document_id as document_id,
    row_number() over (
        partition by evaluated.evaluation_id, preference_documents.judgment_group
        order by
            case when preference_ranks.rank is null then 1 else 0 end,
            preference_ranks.rank,
            documents.document
    ) as place,
    preference_ranks.rank is not null as is_ret
from evaluated
join preference_documents
    on preference_documents.qrels_id = evaluated.qrels_id
    and preference_documents.topic_id = evaluated.topic_id
join documents on documents.document_id = preference_documents.document_id
left join preference_ranks
    on preference_ranks.evaluation_id = evaluated.evaluation_id
    and preference_ranks.document_id = preference_documents.document_id
where preference_documents.is_last
