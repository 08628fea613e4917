-- title: What group_ranks is expected to give over all orders of tied documents
-- definition: As in expected_relevant_ranks. Where ranks leave documents out, those kept of a tie are tied in the ranks left, in
--    every order alike.
-- parameters: rel, judged_only
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: evaluation_id, judgment_group
--   rank             a rank of a tie that holds documents relevant to it
--   relevant_rank    documents relevant to it expected down to one that stands there
--   share            number of documents relevant to it expected there
with judged_by_group as (
    select
        judged_ranks.evaluation_id as evaluation_id,
        assessments.iteration as judgment_group,
        judged_ranks.first_rank as first_in_all,
        judged_ranks.last_rank as last_in_all,
        row_number() over (
            partition by judged_ranks.evaluation_id, assessments.iteration
            order by judged_ranks.rank
        ) as judged_rank,
        assessments.grade as grade
    from asked_ranks() as judged_ranks
    join asked_evaluations() as evaluations using (evaluation_id)
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = judged_ranks.document_id
    -- What is not relevant counts only where each group has a ranking of its own. Both grades in one join: engines then
    -- look for a document among the judgments of its topic, not of all topics.
    where
        judged_ranks.grade >= case when $judged_only then 0 else $rel end
        and least(judged_ranks.grade, assessments.grade) >= case when $judged_only then 0 else $rel end
),
tied as (
    select
        evaluation_id,
        judgment_group,
        min(case when $judged_only then judged_rank else first_in_all end) as first_rank,
        max(case when $judged_only then judged_rank else last_in_all end) as last_rank,
        count(case when grade >= $rel then 1 end) as num_rel
    from judged_by_group
    group by evaluation_id, judgment_group, first_in_all
),
ties as (
    select
        *,
        cast(coalesce(sum(num_rel) over above, 0) as integer) as rel_above
    from tied
    where num_rel > 0
    window above as (
        partition by evaluation_id, judgment_group
        order by first_rank
        rows between unbounded preceding and 1 preceding
    )
)
select
    evaluation_id,
    judgment_group,
    first_rank as rank,
    cast(rel_above + 1 as double) as relevant_rank,
    cast(1 as double) as share
from ties
where first_rank = last_rank
union all
select
    ties.evaluation_id,
    ties.judgment_group,
    ranks_to_longest.rank as rank,
    ties.rel_above
        + 1
        + cast(ranks_to_longest.rank - ties.first_rank as double)
        * (ties.num_rel - 1)
        / (ties.last_rank - ties.first_rank) as relevant_rank,
    ties.num_rel / (ties.last_rank - ties.first_rank + 1) as share
from ties
join ranks_to_longest on ranks_to_longest.rank between ties.first_rank and ties.last_rank
where ties.first_rank < ties.last_rank
