-- title: Success at a cutoff as other programs have it by mistake
-- parameters: k = 10, rel, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called. Of those that are not added up document by
--    document there is none under ties = expected.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.k,
        sum(case when ranks.rank <= cutoffs.k then ranks.share end) as num_rel_ret,
        sum(case when ranks.rank <= cutoffs.k + 1 then ranks.share end) as num_rel_with_next,
        sum(case when ranks.rank = cutoffs.k then ranks.share end) as num_rel_at_last
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as ranks
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
                'variant': 'gives the share of the first k that is relevant, which is precision',
                'given': found.num_rel_ret / cutoffs.k
            },
            {
                'variant': 'looks at the document at rank k alone',
                'given': found.num_rel_at_last
            }
        ] || case when $ties <> 'expected' then [
            {
                'variant': 'looks at one document more than the cutoff',
                'given': case when found.num_rel_with_next > 0 then 1.0 end
            },
            {
                'variant': 'asks for all relevant documents',
                'given': case when found.num_rel_ret = topic_counts.num_rel then 1.0 end
            }
        ] else [] end, recursive := true)
    from evaluated_topics
    join cutoffs(k := $k) as cutoffs on cutoffs.k is not null
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
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
