-- measure: IPrecAvg_textbook
-- title: Eleven-point average of interpolated precision, as textbooks define it
-- aliases: 11-point, eleven_point
-- parameters: points, rel, ties in {rule, worst, best}
-- definition: The mean of IPrec_textbook over the levels.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: IPrecAvg rounds as trec_eval does; the two are equal but where binary fractions fall short, and where levels
--    are not tenths.
-- range: 0 1
-- mean: arithmetic
-- holes: none, the best rank moves with each hole, so that no order of holes is known that is always best
-- scores: no
-- example: textbook-curves IPrecAvg_textbook = 0.6364
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
    rounding := 'textbook',
    ties := $ties
) as found using (evaluation_id, recall)
group by evaluated_topics.evaluation_id, evaluated_topics.qrels, evaluated_topics.run, evaluated_topics.topic
