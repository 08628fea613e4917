-- title: The share of judged documents as other programs have it, by convention or by mistake
-- parameters: k = 10, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        sum(ranks.share) as num_judged_ret
    from ordered_ranks(ties := $ties) as ranks
    join cutoffs(k := $k) as cutoffs on ranks.rank <= cutoffs.last_rank
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
                'variant': 'divides by the cutoff, however few documents are retrieved',
                'given': found.num_judged_ret / cutoffs.k
            },
            {
                'variant': 'gives the share without a judgment',
                'given': 1 - coalesce(found.num_judged_ret, 0)
                    / nullif(least(cutoffs.last_rank, evaluated_topics.num_ret), 0)
            }
        ], recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
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
