-- title: The mean of precision and recall as other programs have it, by convention or by mistake
-- parameters: beta, k, rel, recall_weight, judged_only, ties
--   beta double in [0, 1e9] = 1                weight of recall over precision
--   recall_weight double in [0, 1e18] = null   taken in the place of beta^2
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        sum(ranks.share) as num_rel_ret
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as ranks
    join cutoffs(k := $k) as cutoffs on ranks.rank <= cutoffs.last_rank
    group by ranks.evaluation_id, cutoffs.last_rank
),
rates as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        coalesce($recall_weight, $beta * $beta) as weight,
        found.num_rel_ret / coalesce(cutoffs.k, retrieved_counts.num_ret) as precision,
        found.num_rel_ret / least(cutoffs.last_rank, retrieved_counts.num_ret) as precision_of_retrieved,
        found.num_rel_ret / nullif(topic_counts.num_rel, 0) as recall
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    left join found using (evaluation_id, last_rank)
),
variants as (
    select
        qrels,
        run,
        topic,
        k,
        unnest([
            {
                'variant': 'harmonic mean of recall and of precision that divides by the documents retrieved',
                'given': (weight + 1) * precision_of_retrieved * recall
                    / nullif(weight * precision_of_retrieved + recall, 0)
            },
            {
                'variant': 'takes the arithmetic mean of precision and recall',
                'given': (precision + recall) / 2
            },
            {
                'variant': 'leaves out the factor 2',
                'given': precision * recall / nullif(weight * precision + recall, 0)
            }
        ], recursive := true)
    from rates
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
