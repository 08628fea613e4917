-- measure: O_measure
-- title: O-measure: blend of precision and normalised cumulated gain at the first document with a gain
-- aliases: O-measure
-- ties: expected = expected_o_measure
-- parameters: beta, gains, ties
--   beta double in [0, 1e9] = 1     weight of gains over counts; 0 gives RR
-- definition: (1 + beta * gain) / (rank + beta * I) of the first document with a gain, I being the sum of the
--    ideal ranking's gains down to the same place; 0 if none is retrieved.
-- reference: Sakai 2007, On the properties of evaluation metrics for finding one highly relevant document,
--    doi:10.2197/ipsjdc.3.643
-- differs: Equal to NTCIREVAL; none of trec_eval, ranx and ir_measures has it. Negative gains are left out.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: user-models O_measure = 0.6667
with gained as (
    select
        evaluation_id,
        rank,
        gain,
        row_number() over (
            partition by evaluation_id
            order by rank
        ) as gained_rank
    from gains_by_rank(gains := $gains, ties := $ties)
    where gain > 0
),
blends as (
    select
        gained.evaluation_id,
        (1 + $beta * gained.gain)
            / (gained.rank + $beta * coalesce(ideal_cumulated_gains.cumulated_gain, ideal_totals.total_gain)) as blend
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
    join gained
        on gained.evaluation_id = evaluations.evaluation_id
        and gained.gained_rank = 1
    left join ideal_cumulated_gains(gains := $gains) as ideal_cumulated_gains
        on ideal_cumulated_gains.qrels_id = evaluations.qrels_id
        and ideal_cumulated_gains.topic_id = evaluations.topic_id
        and ideal_cumulated_gains.rank = gained.rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(blends.blend, 0) as value
from evaluated_topics
left join blends using (evaluation_id)
