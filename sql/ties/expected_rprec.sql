-- title: Rprec expected over all orders of tied documents
-- parameters: rel, multiple, judged_only
--   multiple double in [0, inf) = 1      how many times as many documents as there are relevant ones
-- columns: qrels, run, topic, value
with cutoffs as (
    select
        evaluations.evaluation_id as evaluation_id,
        floor($multiple * topic_counts.num_rel + 0.9) as cutoff
    from asked_evaluations() as evaluations
    join topic_counts(rel := $rel) as topic_counts
        on topic_counts.qrels_id = evaluations.qrels_id
        and topic_counts.topic_id = evaluations.topic_id
),
found as (
    select
        cutoffs.evaluation_id as evaluation_id,
        sum(relevance_probabilities.probability) as num_rel_ret
    from cutoffs
    join relevance_probabilities(rel := $rel, judged_only := $judged_only) as relevance_probabilities
        on relevance_probabilities.evaluation_id = cutoffs.evaluation_id
        and relevance_probabilities.rank <= cutoffs.cutoff
    group by cutoffs.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.num_rel_ret / nullif(cutoffs.cutoff, 0), 0) as value
from evaluated_topics
join cutoffs on cutoffs.evaluation_id = evaluated_topics.evaluation_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
