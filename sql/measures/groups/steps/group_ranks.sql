-- title: Ranks of the retrieved documents that each judgment group has judged
-- parameters: judged_only
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   iteration of the judgments, which names the group
--   rank             place in the ranking
--   first_rank       place in the whole ranking of the first document tied with it
--   last_rank        place in the whole ranking of the last document tied with it
--   grade            grade that the group gave the document
with judged_by_groups as (
    select
        judged_ranks.evaluation_id as evaluation_id,
        assessments.iteration as judgment_group,
        judged_ranks.rank as rank,
        judged_ranks.first_rank as first_rank,
        judged_ranks.last_rank as last_rank,
        assessments.grade as grade
    from judged_ranks
    join evaluations on evaluations.evaluation_id = judged_ranks.evaluation_id
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = judged_ranks.document_id
),
counted as (
    select
        evaluation_id,
        judgment_group,
        rank,
        first_rank,
        last_rank,
        grade,
        count(case when grade >= 0 then 1 end) over (
            partition by evaluation_id, judgment_group
            order by rank
            rows between unbounded preceding and current row
        ) as judged_rank
    from judged_by_groups
)
select
    evaluation_id,
    judgment_group,
    case when $judged_only then judged_rank else rank end as rank,
    first_rank,
    last_rank,
    grade
from counted
where grade >= 0 or not $judged_only
