-- title: Precision at a cutoff as other programs have it, by convention or by mistake
-- parameters: k = 10, rel, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.k,
        sum(case when ranks.rank <= cutoffs.k and ranks.grade >= $rel then ranks.share end) as num_rel_ret,
        sum(case when ranks.rank <= cutoffs.k + 1 and ranks.grade >= $rel then ranks.share end) as num_rel_with_next,
        sum(case when ranks.rank <= cutoffs.k - 1 and ranks.grade >= $rel then ranks.share end) as num_rel_above_last,
        sum(case when ranks.rank <= cutoffs.k and ranks.grade >= 0 then ranks.share end) as num_judged_ret,
        sum(case when ranks.rank <= cutoffs.k and ranks.grade > 0 then ranks.share * ranks.grade end) as total_grade
    from ordered_ranks(judged_only := $judged_only, ties := $ties) as ranks
    join cutoffs(k := $k) as cutoffs on ranks.rank - 1 <= cutoffs.k
    group by ranks.evaluation_id, cutoffs.k
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        unnest([
            {
                'variant': 'divides by the documents retrieved where these are fewer than the cutoff',
                'given': found.num_rel_ret / nullif(least(cutoffs.k, retrieved_counts.num_ret), 0)
            },
            {
                'variant': 'divides by the number of relevant documents, which is recall',
                'given': found.num_rel_ret / nullif(topic_counts.num_rel, 0)
            },
            {
                'variant': 'looks at one document more than the cutoff',
                'given': found.num_rel_with_next / cutoffs.k
            },
            {
                'variant': 'looks at one document fewer than the cutoff',
                'given': found.num_rel_above_last / cutoffs.k
            },
            {
                'variant': 'counts every judged document as relevant',
                'given': found.num_judged_ret / cutoffs.k
            },
            {
                'variant': 'adds up grades instead of counting relevant documents',
                'given': found.total_grade / cutoffs.k
            }
        ], recursive := true)
    from evaluated_topics
    join cutoffs(k := $k) as cutoffs on cutoffs.k is not null
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    left join found using (evaluation_id, k)
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
