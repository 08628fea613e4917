-- title: F expected over all orders of tied documents
-- definition: F grows in proportion to the number of relevant documents found, so that number is replaced by what is
--    expected of it.
-- parameters: beta, k, rel, recall_weight, judged_only
--   beta double in [0, 1e9] = 1            weight of recall over precision; 2 holds it for twice as important
--   recall_weight double in [0, 1e18] = null   trec_eval's x, taken in the place of beta^2
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability) as num_rel_ret
    from relevance_probabilities(rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
),
rates as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        coalesce($recall_weight, $beta * $beta) as weight,
        found.num_rel_ret / coalesce($k, retrieved_counts.num_ret) as precision,
        found.num_rel_ret / nullif(topic_counts.num_rel, 0) as recall
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluated_topics.qrels_id
        and topic_counts.topic_id = evaluated_topics.topic_id
    left join retrieved_counts(judged_only := $judged_only) as retrieved_counts
        on retrieved_counts.evaluation_id = evaluated_topics.evaluation_id
    left join found on found.evaluation_id = evaluated_topics.evaluation_id
)
select
    qrels,
    run,
    topic,
    coalesce((weight + 1) * precision * recall / nullif(weight * precision + recall, 0), 0) as value
from rates
