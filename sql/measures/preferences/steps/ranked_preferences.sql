-- title: The preferences of each judgment group with the ranks of their documents in each ranking
-- parameters:
--   listed varchar in {all, repeated} = all   of all topics, or of those that have a document with several levels
-- columns: evaluation_id
--   judgment_group   who prefers
--   better_id        key of the document preferred
--   worse_id         key of the other document
--   better_rank      rank of the document preferred; null where it is not retrieved
--   worse_rank       rank of the other; null where it is not retrieved
--   is_fulfilled     whether the document preferred is retrieved and the other stands below it or is not retrieved
--   num_ret          how many of the two are retrieved
--   tied_rank        first rank of the tie in which both stand; null where they are not tied
--   num_groups       groups that prefer either of the two to the other
with ranks as (
    select
        evaluation_id,
        document_id,
        -- Elsewhere tied documents are in descending order of their names, here in ascending order.
        first_rank + last_rank - rank as rank,
        first_rank
    from asked_ranks()
)
select
    evaluations.evaluation_id as evaluation_id,
    preference_pairs.judgment_group as judgment_group,
    preference_pairs.better_id as better_id,
    preference_pairs.worse_id as worse_id,
    better.rank as better_rank,
    worse.rank as worse_rank,
    better.rank is not null and (worse.rank is null or better.rank < worse.rank) as is_fulfilled,
    case when better.rank is null then 0 else 1 end + case when worse.rank is null then 0 else 1 end as num_ret,
    case when better.first_rank = worse.first_rank then better.first_rank end as tied_rank,
    preference_pairs.num_groups as num_groups
from asked_evaluations() as evaluations
join preference_pairs(listed := $listed) as preference_pairs using (qrels_id, topic_id)
left join ranks as better
    on better.evaluation_id = evaluations.evaluation_id
    and better.document_id = preference_pairs.better_id
left join ranks as worse
    on worse.evaluation_id = evaluations.evaluation_id
    and worse.document_id = preference_pairs.worse_id
