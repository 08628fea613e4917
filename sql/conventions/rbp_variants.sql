-- title: Rank-biased precision as other programs have it by mistake
-- parameters: p = 0.8, rel, k, judged_only, ties
--   rel integer in [0, inf) = 1   least grade that counts as relevant
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with discounted as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        fsum(case when ranks.grade >= $rel then ranks.share * pow($p, ranks.rank - 1) end) as total,
        fsum(case when ranks.grade > 0 then ranks.grade * ranks.share * pow($p, ranks.rank - 1) end) as total_grade
    from ordered_ranks(judged_only := $judged_only, ties := $ties) as ranks
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
            {'variant': 'multiplies by p once too often', 'given': (1 - $p) * discounted.total * $p},
            {'variant': 'leaves out the factor 1 - p', 'given': discounted.total},
            {
                'variant': 'takes grades as gains, so that it can exceed 1',
                'given': (1 - $p) * discounted.total_grade
            }
        ], recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join discounted using (evaluation_id, last_rank)
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
