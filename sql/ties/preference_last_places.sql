-- title: Which documents at the last level of their judgment group count where they are cut to as many as are relevant
-- parameters:
--   pairs varchar in {all, retrieved} = all   whether documents that are not retrieved count
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   who judged; only groups with more documents that are not relevant than are
--   num_subgroups    subgroups that the group's preferences stand in
--   document_id      key of the document
--   is_ret           whether the document is retrieved
--   is_kept          whether it is among the first by rank, those not retrieved following in ascending order of
--                    their names
--   is_open          whether it depends on the order of tied documents which preferences of the group count
--   tied_share       share of the orders of a tie in which a document of it that is preferred to this one stands
--                    above; in a group of one subgroup, above the last-level document that comes at this place among
--                    those of the tie, for it does not matter there which of these are kept
with last_documents as (
    select
        limits.evaluation_id as evaluation_id,
        limits.judgment_group as judgment_group,
        limits.num_subgroups as num_subgroups,
        limits.most_last as most_last,
        preference_documents.document_id as document_id,
        documents.document as document,
        preference_ranks.rank as rank,
        preference_ranks.first_rank as first_rank
    from preference_limits(pairs := $pairs) as limits
    join evaluated_topics on evaluated_topics.evaluation_id = limits.evaluation_id
    join preference_documents
        on preference_documents.qrels_id = evaluated_topics.qrels_id
        and preference_documents.topic_id = evaluated_topics.topic_id
        and preference_documents.judgment_group = limits.judgment_group
    join documents on documents.document_id = preference_documents.document_id
    left join preference_ranks
        on preference_ranks.evaluation_id = limits.evaluation_id
        and preference_ranks.document_id = preference_documents.document_id
    where
        limits.num_surplus < 0
        and preference_documents.is_last
),
placed as (
    select
        evaluation_id,
        judgment_group,
        num_subgroups,
        most_last,
        document_id,
        rank,
        row_number() over (
            partition by evaluation_id, judgment_group
            order by
                case when rank is null then 1 else 0 end,
                rank,
                document
        ) as place,
        row_number() over (
            partition by evaluation_id, judgment_group, first_rank
            order by rank, document
        ) as tied_place,
        count(*) over (partition by evaluation_id, judgment_group, first_rank) as num_tied
    from last_documents
)
select
    evaluation_id,
    judgment_group,
    num_subgroups,
    document_id,
    rank is not null as is_ret,
    place <= most_last as is_kept,
    num_subgroups > 1
        and rank is not null
        and place - tied_place < most_last
        and place - tied_place + num_tied > most_last as is_open,
    case when num_subgroups = 1 then cast(tied_place as double) / (num_tied + 1) else 0.5 end as tied_share
from placed
