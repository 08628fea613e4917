-- title: Ranks of the retrieved documents that are relevant to a judgment group, in the ranking as the group has it
-- ties: expected = expected_group_ranks
-- parameters: rel, judged_only, ties in {rule, expected}
-- columns: evaluation_id, judgment_group
--   rank             rank of a document that is relevant to it
--   relevant_rank    documents relevant to it down to this one
--   share            1; or the number of documents relevant to it expected at this rank of a tie
with judged_by_group as (
    select
        judged_ranks.evaluation_id as evaluation_id,
        assessments.iteration as judgment_group,
        judged_ranks.rank as rank,
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
)
select
    evaluation_id,
    judgment_group,
    case when $judged_only then judged_rank else rank end as rank,
    row_number() over (
        partition by evaluation_id, judgment_group
        order by rank
    ) as relevant_rank,
    cast(1 as double) as share
from judged_by_group
where grade >= $rel
