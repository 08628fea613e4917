-- measure: AWP
-- title: Average weighted precision: average of normalised cumulated gain at each document with a gain
-- parameters: gains, ties
-- definition: Sum over the documents retrieved with a gain of S / I, divided by the number of documents with a
--    gain: S is the sum of the gains down to this document, and I the ideal ranking's down to the same place. 0 if
--    there are none.
-- reference: Kando, Kuriyama and Yoshioka 2001, Information retrieval system evaluation using multi-grade
--    relevance judgments; as in Sakai 2004, doi:10.1007/978-3-540-31871-2_22
-- differs: None of trec_eval, ranx and ir_measures has it. Negative gains are left out.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it divides by the ideal ranking at each document, and no order of holes is known that is always best
-- scores: no
-- example: user-models AWP = 0.4167
with averages as (
    select
        gained.evaluation_id,
        fsum(gained.cumulated_gain / coalesce(ideal_cumulated_gains.cumulated_gain, ideal_totals.total_gain))
            / max(ideal_totals.num_gained) as value
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals using (qrels_id, topic_id)
    join cumulated_gains(gains := $gains, ties := $ties) as gained using (evaluation_id)
    left join ideal_cumulated_gains(gains := $gains) as ideal_cumulated_gains
        on ideal_cumulated_gains.qrels_id = evaluations.qrels_id
        and ideal_cumulated_gains.topic_id = evaluations.topic_id
        and ideal_cumulated_gains.rank = gained.rank
    group by gained.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages using (evaluation_id)
