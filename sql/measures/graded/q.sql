-- measure: Q
-- title: Q-measure: average of a blend of precision and normalised cumulated gain at each document with a gain
-- aliases: Q-measure, Q_measure
-- parameters: beta, gains, ties
--   beta double in [0, 1e9] = 1     weight of gains over counts; 0 gives AP
-- definition: Sum over the documents retrieved with a gain of (c + beta * S) / (rank + beta * I), divided by the
--    number of documents with a gain: c of them stand here or above, S is the sum of their gains, and I the ideal
--    ranking's down to the same place. 0 if there are none.
-- reference: Sakai 2004, Ranking the NTCIR systems based on multigrade relevance, doi:10.1007/978-3-540-31871-2_22
-- differs: None of trec_eval, ranx and ir_measures has it. Negative gains are left out.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models Q = 0.4603
-- example: user-models Q(beta=0) = 0.5556
with blended as (
    select
        evaluation_id,
        sum(ratio) as total
    from q_measure_ratios(beta := $beta, gains := $gains, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(blended.total / ideal_lengths.num_gained, 0) as value
from evaluated_topics
left join ideal_lengths(gains := $gains) as ideal_lengths
    on ideal_lengths.qrels_id = evaluated_topics.qrels_id
    and ideal_lengths.topic_id = evaluated_topics.topic_id
left join blended on blended.evaluation_id = evaluated_topics.evaluation_id
