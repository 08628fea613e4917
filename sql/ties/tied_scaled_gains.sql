-- title: What scaled_gains gives where tied documents stand in their worst or best order, or is expected to over all
-- parameters: min_rel, max_rel, ties in {worst, best, expected} = best
--   min_rel integer in [0, inf) = 0      grade up to which documents are worth nothing
--   max_rel integer in [0, inf) = null   greatest grade there is, greater ones count as it; null is the greatest of the
--                                        judgment set
-- columns:
--   evaluation_id   key of the evaluation
--   rank            a rank
--   gain            gain of the document there; what is expected is the mean of those that may stand there
select
    evaluations.evaluation_id as evaluation_id,
    gains_by_rank.rank as rank,
    gains_by_rank.gain / (greatest_grades.greatest_grade - $min_rel) as gain
from asked_evaluations() as evaluations
join greatest_grades(max_rel := $max_rel) as greatest_grades on greatest_grades.qrels_id = evaluations.qrels_id
join gains_by_rank(min_rel := $min_rel, max_rel := $max_rel, ties := $ties) as gains_by_rank
    on gains_by_rank.evaluation_id = evaluations.evaluation_id
