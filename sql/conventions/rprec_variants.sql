-- title: R-precision as other programs have it by mistake
-- parameters: rel, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with found as (
    select
        ranks.evaluation_id as evaluation_id,
        sum(case when ranks.rank <= topic_counts.num_rel then ranks.share end) as num_rel_at_r,
        sum(case when ranks.rank <= topic_counts.num_rel + topic_counts.num_nonrel then ranks.share end)
            as num_rel_at_judged,
        sum(ranks.share) as num_rel_ret
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as ranks
    join evaluated_topics using (evaluation_id)
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    group by ranks.evaluation_id
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        unnest([
            {
                'variant': 'goes down to the number of judged documents',
                'given': found.num_rel_at_judged / nullif(topic_counts.num_rel + topic_counts.num_nonrel, 0)
            },
            {
                'variant': 'divides by the documents retrieved where these are fewer than the relevant ones',
                'given': found.num_rel_at_r / nullif(least(topic_counts.num_rel, retrieved_counts.num_ret), 0)
            },
            {
                'variant': 'divides by all documents retrieved, which is precision',
                'given': found.num_rel_ret / retrieved_counts.num_ret
            }
        ], recursive := true)
    from evaluated_topics
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    left join found using (evaluation_id)
)
select
    qrels,
    run,
    topic,
    cast(null as integer) as k,
    variant,
    coalesce(given, 0) as value
from variants
