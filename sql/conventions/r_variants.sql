-- title: Recall as other programs have it, by convention or by mistake
-- parameters: k, rel, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        sum(case when ranks.rank <= cutoffs.last_rank and ranks.grade >= $rel then ranks.share end) as num_rel_ret,
        sum(case when ranks.grade >= $rel then ranks.share end) as num_rel_ret_at_all,
        sum(case when ranks.rank <= cutoffs.last_rank and ranks.grade > 0 then ranks.share * ranks.grade end)
            as total_grade
    from ordered_ranks(judged_only := $judged_only, ties := $ties) as ranks
    cross join cutoffs(k := $k) as cutoffs
    group by ranks.evaluation_id, cutoffs.last_rank
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        unnest([
            {
                'variant': 'divides by the relevant documents or the cutoff, whichever is less',
                'given': found.num_rel_ret / nullif(least(topic_counts.num_rel, cutoffs.last_rank), 0)
            },
            {
                'variant': 'divides by the number retrieved, which is precision',
                'given': found.num_rel_ret / nullif(least(retrieved_counts.num_ret, cutoffs.last_rank), 0)
            },
            {
                'variant': 'divides by the cutoff, which is precision',
                'given': found.num_rel_ret / coalesce(cutoffs.k, retrieved_counts.num_ret)
            },
            {
                'variant': 'divides by the number of judged documents',
                'given': found.num_rel_ret / nullif(topic_counts.num_rel + topic_counts.num_nonrel, 0)
            },
            {
                'variant': 'divides by the relevant documents that the whole ranking holds',
                'given': found.num_rel_ret / nullif(found.num_rel_ret_at_all, 0)
            },
            {
                'variant': 'adds up grades instead of counting relevant documents',
                'given': found.total_grade / nullif(topic_counts.num_rel, 0)
            }
        ], recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    left join found using (evaluation_id, last_rank)
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
