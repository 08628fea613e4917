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
-- scores: no
-- example: user-models R_measure = 0.7143
with lengths as (
    select
        qrels_id,
        topic_id,
        count(*) as num_gained,
        sum(gain) as ideal_gain
    from ideal_gains(gains := $gains)
    group by qrels_id, topic_id
),
found as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        sum(q_measure_ratios.share) as num_found,
        sum(q_measure_ratios.gain) as total_gain
    from evaluated_topics
    join lengths
        on lengths.qrels_id = evaluated_topics.qrels_id
        and lengths.topic_id = evaluated_topics.topic_id
    join q_measure_ratios(gains := $gains, ties := $ties) as q_measure_ratios
        on q_measure_ratios.evaluation_id = evaluated_topics.evaluation_id
        and q_measure_ratios.rank <= lengths.num_gained
    group by evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        (found.num_found + $beta * found.total_gain) / (lengths.num_gained + $beta * lengths.ideal_gain),
        0
    ) as value
from evaluated_topics
left join lengths
    on lengths.qrels_id = evaluated_topics.qrels_id
    and lengths.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
