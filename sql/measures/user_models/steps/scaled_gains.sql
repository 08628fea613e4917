-- title: The gain, between 0 and 1, of each document retrieved that has one, at its rank
-- ties: worst, best, expected = tied_scaled_gains
-- parameters: min_rel, max_rel, ties
-- columns:
--   evaluation_id   key of the evaluation
--   rank            its rank
--   gain            (grade - min_rel) / (max_rel - min_rel); 1 for greater grades
select
    judged_ranks.evaluation_id as evaluation_id,
    judged_ranks.rank as rank,
    cast(least(judged_ranks.grade, greatest_grades.greatest_grade) - $min_rel as double)
        / (greatest_grades.greatest_grade - $min_rel) as gain
from asked_evaluations() as evaluations
join greatest_grades(max_rel := $max_rel) as greatest_grades on greatest_grades.qrels_id = evaluations.qrels_id
join asked_ranks() as judged_ranks on judged_ranks.evaluation_id = evaluations.evaluation_id
where
    judged_ranks.grade > $min_rel
    and greatest_grades.greatest_grade > $min_rel
