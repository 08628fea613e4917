-- measure: IPrec
-- title: Interpolated precision at a level of recall
-- aliases: Rec0(recall=0), Rec10(recall=0.1)
-- at: recall
-- trec_eval: iprec_at_recall.recall = 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1
-- parameters: recall, rel, rounding, judged_only, ties in {rule, worst, best}
--   recall double in [0, 1] = 0.1   level of recall
--   rounding varchar in {trec_eval, trec_eval_10} = trec_eval   how many relevant documents a level of recall
--                                   stands for: floor(recall * R + 0.9), or rounded to the nearest
-- definition: The highest precision at any rank where at least c relevant documents are found, c being what the level
--    stands for under the rounding; 0 if the ranking has fewer than c.
-- reference: Buckley, trec_eval, measure iprec_at_recall
-- differs: trec_eval 9 and ir_measures round as trec_eval here, trec_eval 10 as trec_eval_10; for an empty ranking both
--    versions divide 0 by 0 at recall 0 where this gives 0. The textbook asks for recall of at least the level.
-- range: 0 1
-- mean: arithmetic
-- holes: none, the best rank moves with each hole, so that no order of holes is known that is always best
-- scores: no
-- example: mixed IPrec@0 = 0.1667
-- example: mixed IPrec@0.8 = 0
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    levels.recall,
    coalesce(found.precision, 0) as value
from evaluated_topics
cross join recall_points(points := $recall) as levels
left join precisions_at_recall(
    points := $recall,
    rel := $rel,
    rounding := $rounding,
    judged_only := $judged_only,
    ties := $ties
) as found using (evaluation_id, recall)
