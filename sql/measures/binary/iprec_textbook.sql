-- measure: IPrec_textbook
-- title: Interpolated precision at a level of recall, as textbooks define it
-- at: recall
-- parameters: recall, rel, ties in {rule, worst, best}
--   recall double in [0, 1] = 0.1   level of recall
-- definition: The highest precision at any rank where recall is at least the level; 0 if the ranking has no such
--    rank.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: IPrec rounds as trec_eval does. At tenths of recall the two are equal but where binary fractions fall short:
--    trec_eval 9 takes recall 0.7 of 3 documents for 2 of them, which is recall 0.67; here it is 3.
-- range: 0 1
-- mean: arithmetic
-- holes: none, the best rank moves with each hole, so that no order of holes is known that is always best
-- scores: no
-- example: textbook-curves IPrec_textbook@0.5 = 0.6667
-- example: textbook-curves IPrec_textbook@0.51 = 0.4
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
    rounding := 'textbook',
    ties := $ties
) as found using (evaluation_id, recall)
