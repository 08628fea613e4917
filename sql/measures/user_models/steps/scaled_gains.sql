-- title: The gain, between 0 and 1, of each document retrieved that has one, at its rank
-- parameters: min_rel, max_rel, ties
-- columns: evaluation_id
--   rank   its rank
--   gain   (grade - min_rel) / (max_rel - min_rel); 1 for greater grades; of what is expected times the share
select
    ordered_ranks.evaluation_id as evaluation_id,
    ordered_ranks.rank as rank,
    ordered_ranks.share
        * (least(ordered_ranks.grade, greatest_grades.greatest_grade) - $min_rel)
        / (greatest_grades.greatest_grade - $min_rel) as gain
from asked_evaluations() as evaluations
join greatest_grades(max_rel := $max_rel) as greatest_grades using (qrels_id)
join ordered_ranks(ties := $ties) as ordered_ranks using (evaluation_id)
where
    ordered_ranks.grade > $min_rel
    and greatest_grades.greatest_grade > $min_rel
