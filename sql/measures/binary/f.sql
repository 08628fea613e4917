-- measure: F
-- title: Harmonic mean of precision and recall
-- aliases: SetF, F1
-- trec_eval: set_F.recall_weight
-- parameters: beta, k, rel, recall_weight, judged_only, ties
--   beta double in [0, 1e9] = 1            weight of recall over precision; 2 holds it for twice as important
--   k integer in [1, inf) = null           rank cutoff; null is the whole ranking as a set
--   recall_weight double in [0, 1e18] = null   trec_eval's x, taken in the place of beta^2
-- definition: (1 + beta^2) P R / (beta^2 P + R) with the precision P and the recall R of the first k; 0 where both are.
-- reference: van Rijsbergen 1979, Information Retrieval, chapter 7
-- differs: trec_eval's set_F and ir_measures' SetF take their parameter for beta^2 itself (here: recall_weight);
--    without one they agree.
-- range: 0 1
-- mean: arithmetic
-- holes: f_bounds
-- scores: no
-- example: mixed F = 0.1481
-- example: mixed F@5 = 0.1667
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as num_rel_ret
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
rates as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        coalesce($recall_weight, $beta * $beta) as weight,
        found.num_rel_ret / coalesce(cutoffs.k, retrieved_counts.num_ret) as precision,
        found.num_rel_ret / nullif(topic_counts.num_rel, 0) as recall
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    left join found using (evaluation_id, last_rank)
)
select
    rates.qrels,
    rates.run,
    rates.topic,
    rates.k,
    coalesce(
        (rates.weight + 1) * rates.precision * rates.recall
            / nullif(rates.weight * rates.precision + rates.recall, 0),
        0
    ) as value
from rates
