-- title: The gain, between 0 and 1, of each document retrieved that has one, at its rank
-- ties: worst, best, expected = tied_scaled_gains
-- parameters: min_rel, max_rel, ties
-- columns:
--   evaluation_id   key of the evaluation
--   rank            its rank
--   gain            (grade - min_rel) / (max_rel - min_rel); 1 for greater grades
with scales as (
    select
        qrels_id,
        max(coalesce($max_rel, grade)) as greatest_grade
    from judged_documents
    group by qrels_id
)
select
    judged_ranks.evaluation_id as evaluation_id,
    judged_ranks.rank as rank,
    cast(least(judged_ranks.grade, scales.greatest_grade) - $min_rel as double)
        / (scales.greatest_grade - $min_rel) as gain
from evaluations
join scales on scales.qrels_id = evaluations.qrels_id
join judged_ranks on judged_ranks.evaluation_id = evaluations.evaluation_id
where
    judged_ranks.grade > $min_rel
    and scales.greatest_grade > $min_rel
