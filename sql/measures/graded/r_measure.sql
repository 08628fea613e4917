-- measure: R_measure
-- title: R-measure: blend of precision and normalised cumulated gain after as many documents as have a gain
-- aliases: R-measure
-- parameters: beta, gains, ties
--   beta double in [0, 1e9] = 1     weight of gains over counts; 0 gives Rprec
-- definition: (c + beta * S) / (R + beta * I) with the number R of documents with a gain and the sum I of their
--    gains: of the first R, c have a gain and S is the sum of these. 0 if R is 0.
-- reference: Sakai 2004, Ranking the NTCIR systems based on multigrade relevance, doi:10.1007/978-3-540-31871-2_22
-- differs: None of trec_eval, ranx and ir_measures has it. Negative gains are left out.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: user-models R_measure = 0.7143
with found as (
    select
        evaluations.evaluation_id as evaluation_id,
        sum(gains_by_rank.share) as num_found,
        sum(gains_by_rank.gain) as total_gain
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
    join gains_by_rank(gains := $gains, ties := $ties) as gains_by_rank
        on gains_by_rank.evaluation_id = evaluations.evaluation_id
        and gains_by_rank.rank <= ideal_totals.num_gained
        and gains_by_rank.gain > 0
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        (found.num_found + $beta * found.total_gain) / (ideal_totals.num_gained + $beta * ideal_totals.total_gain),
        0
    ) as value
from evaluated_topics
left join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
left join found using (evaluation_id)
