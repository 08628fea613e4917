-- title: What least_grade_ranks is expected to give over all orders of tied documents
-- definition: As in expected_relevant_ranks.
-- parameters: gains
--   gains varchar = null   how likely the reader's least grade is a grade or below it; without them all from 1 to the
--                          greatest are as likely
-- columns: evaluation_id
--   rank            rank of a document that reaches a least grade
--   weight          weight of that least grade
--   relevant_rank   documents that reach it expected down to one that stands there
--   share           number of them expected at this rank
with tied as (
    select
        evaluations.evaluation_id as evaluation_id,
        least_grades.grade as grade,
        least_grades.weight as weight,
        judged_ranks.first_rank as first_rank,
        judged_ranks.last_rank as last_rank,
        count(*) as num_rel
    from asked_evaluations() as evaluations
    join least_grade_weights(gains := $gains) as least_grades using (qrels_id, topic_id)
    join asked_ranks() as judged_ranks
        on judged_ranks.evaluation_id = evaluations.evaluation_id
        and judged_ranks.grade >= least_grades.grade
    group by
        evaluations.evaluation_id,
        least_grades.grade,
        least_grades.weight,
        judged_ranks.first_rank,
        judged_ranks.last_rank
),
counted as (
    select
        *,
        sum(num_rel) over (
            partition by evaluation_id, grade
            order by first_rank
            rows between unbounded preceding and current row
        ) - num_rel as rel_above
    from tied
)
select
    counted.evaluation_id,
    tie_ranks.rank,
    counted.weight,
    counted.rel_above + 1 + tie_ranks.part_above * (counted.num_rel - 1) as relevant_rank,
    counted.num_rel / tie_ranks.size as share
from counted
join tie_ranks() as tie_ranks using (first_rank, last_rank)
