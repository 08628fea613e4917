-- title: Discounted cumulative gain as other programs have it, by convention or by mistake
-- parameters: k, dcg, gains, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called; the first is the measure's own, but that
--    gains may be negative here.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with dcgs as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        fsum(ranks.gain / log2(ranks.rank + 1)) as usual,
        fsum(ranks.gain / log2(greatest(ranks.rank, 2))) as from_rank_2,
        fsum(ranks.gain / log2(ranks.rank + 2)) as one_late,
        fsum(ranks.gain / ln(ranks.rank + 1)) as by_natural_logarithm,
        fsum(ranks.gain / ranks.rank) as by_rank,
        fsum(ranks.gain) as undiscounted,
        fsum(case when ranks.gain > 0 then ranks.share / log2(ranks.rank + 1) end) as of_same_gain
    from gains_by_rank(dcg := $dcg, gains := $gains, judged_only := $judged_only, ties := $ties) as ranks
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
            {'variant': '', 'given': dcgs.usual},
            {
                'variant': 'discounts by log2(rank) from rank 2 on, as in the article of 2002',
                'given': dcgs.from_rank_2
            },
            {'variant': 'discounts by log2(rank + 2), one rank late', 'given': dcgs.one_late},
            {'variant': 'discounts by the natural logarithm', 'given': dcgs.by_natural_logarithm},
            {'variant': 'discounts by the rank, not by its logarithm', 'given': dcgs.by_rank},
            {'variant': 'does not discount', 'given': dcgs.undiscounted},
            {'variant': 'takes every relevant document for the same gain', 'given': dcgs.of_same_gain}
        ], recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join dcgs using (evaluation_id, last_rank)
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
