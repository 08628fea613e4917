-- measure: IPrecAvg
-- title: Interpolated precision averaged over levels of recall
-- trec_eval: 11pt_avg.points
-- parameters: points, rel, rounding, judged_only, ties in {rule, worst, best}
--   rounding varchar in {trec_eval, trec_eval_10} = trec_eval   how many relevant documents a level of recall
--                                   stands for: floor(recall * R + 0.9), or rounded to the nearest
-- definition: The mean of IPrec over the levels.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: trec_eval 9 rounds as trec_eval here, trec_eval 10 as trec_eval_10; for an empty ranking both versions
--    divide 0 by 0 where this gives 0, and mix levels up that are not in order. The textbook asks for recall of at
--    least the level.
-- range: 0 1
-- mean: arithmetic
-- holes: none, the best rank moves with each hole, so that no order of holes is known that is always best
-- scores: no
-- example: mixed IPrecAvg = 0.1091
-- example: mixed IPrecAvg(rounding='trec_eval_10') = 0.1242
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    avg(coalesce(found.precision, 0)) as value
from evaluated_topics
cross join recall_points(points := cast($points as varchar)) as levels
left join precisions_at_recall(
    points := cast($points as varchar),
    rel := $rel,
    rounding := $rounding,
    judged_only := $judged_only,
    ties := $ties
) as found using (evaluation_id, recall)
group by evaluated_topics.evaluation_id, evaluated_topics.qrels, evaluated_topics.run, evaluated_topics.topic
