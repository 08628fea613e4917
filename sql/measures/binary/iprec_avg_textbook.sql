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
-- scores: no
-- example: textbook-curves IPrecAvg_textbook = 0.6364
with averages as (
    select
        evaluation_id,
        sum(precision) / count(*) as value
    from interpolated_curve(points := $points, rel := $rel, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    averages.value
from evaluated_topics
join averages on averages.evaluation_id = evaluated_topics.evaluation_id
