-- measure: IPrecAvg_textbook
-- title: Eleven-point average of interpolated precision, as textbooks define it
-- aliases: 11-point, eleven_point
-- parameters:
--   points varchar = 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1   levels of recall, separated by commas
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   ties varchar in {rule, worst, best} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best over all orders; what is
--                                     expected has no closed form
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
