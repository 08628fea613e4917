-- title: Average precision as other programs have it, by convention or by mistake
-- parameters: k, rel, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called. Of those that are not added up document by
--    document there is none under ties = expected.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with harmonic_numbers as (
    select
        rank,
        sum(cast(1 as double) / rank) over (order by rank) as total
    from ranks_to_longest
),
found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        sum(ranks.share) as num_rel_ret,
        fsum(ranks.share * ranks.relevant_rank / ranks.rank) as total_precision,
        fsum(ranks.share * (ranks.relevant_rank - 1) / ranks.rank) as total_precision_above,
        fsum(ranks.share / ranks.rank) as total_reciprocal_rank,
        -- A relevant document adds 1 / rank to the precision at each rank from its own on.
        fsum(ranks.share * (down_to_last.total - down_to_own.total + cast(1 as double) / ranks.rank))
            as total_at_all_ranks
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as ranks
    join cutoffs(k := $k) as cutoffs on ranks.rank <= cutoffs.last_rank
    join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    join harmonic_numbers as down_to_own using (rank)
    join harmonic_numbers as down_to_last
        on down_to_last.rank = least(cutoffs.last_rank, retrieved_counts.num_ret)
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
                'given': found.total_precision / nullif(least(topic_counts.num_rel, cutoffs.last_rank), 0)
            },
            {
                'variant': 'divides by the number retrieved',
                'given': found.total_precision / least(retrieved_counts.num_ret, cutoffs.last_rank)
            },
            {
                'variant': 'divides by the cutoff',
                'given': found.total_precision / coalesce(cutoffs.k, retrieved_counts.num_ret)
            },
            {
                'variant': 'takes the precision above each relevant document, without it',
                'given': found.total_precision_above / nullif(topic_counts.num_rel, 0)
            },
            {
                'variant': 'adds up precision at every rank, not at relevant documents alone',
                'given': found.total_at_all_ranks / least(retrieved_counts.num_ret, cutoffs.last_rank)
            },
            {
                'variant': 'adds up reciprocal ranks, 1 over the rank of each relevant document',
                'given': found.total_reciprocal_rank / nullif(topic_counts.num_rel, 0)
            }
        ] || case when $ties <> 'expected' then [
            {
                'variant': 'divides by the relevant documents retrieved, so that missed ones cost nothing',
                'given': found.total_precision / found.num_rel_ret
            }
        ] else [] end, recursive := true)
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
