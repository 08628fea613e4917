-- title: Ranks of the retrieved documents that reach a least grade, for each least grade
-- ties: expected = expected_least_grade_ranks
-- parameters: gains, ties
--   gains varchar = null   how likely the reader's least grade is a grade or below it; without them all from 1 to the
--                          greatest are as likely
-- columns: evaluation_id
--   rank            rank of a document that reaches a least grade
--   weight          weight of that least grade
--   relevant_rank   documents that reach it down to this one
--   share           1; or the number of them expected at this rank of a tie
select
    evaluations.evaluation_id as evaluation_id,
    ordered_ranks.rank as rank,
    least_grades.weight as weight,
    row_number() over (
        partition by evaluations.evaluation_id, least_grades.grade
        order by ordered_ranks.rank
    ) as relevant_rank,
    ordered_ranks.share as share
from asked_evaluations() as evaluations
join least_grade_weights(gains := $gains) as least_grades using (qrels_id, topic_id)
join ordered_ranks(ties := $ties) as ordered_ranks
    on ordered_ranks.evaluation_id = evaluations.evaluation_id
    and ordered_ranks.grade >= least_grades.grade
