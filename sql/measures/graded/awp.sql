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
-- scores: no
-- example: user-models AWP = 0.4167
with weighted as (
    select
        evaluation_id,
        sum(total_gain / ideal_gain) as total
    from q_measure_ratios(gains := $gains, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(weighted.total / ideal_lengths.num_gained, 0) as value
from evaluated_topics
left join ideal_lengths(gains := $gains) as ideal_lengths
    on ideal_lengths.qrels_id = evaluated_topics.qrels_id
    and ideal_lengths.topic_id = evaluated_topics.topic_id
left join weighted on weighted.evaluation_id = evaluated_topics.evaluation_id
