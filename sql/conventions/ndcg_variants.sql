-- title: Normalised discounted cumulative gain as other programs have it, by convention or by mistake
-- parameters: k, dcg, gains, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called; the first is the measure's own, but that
--    gains may be negative here. Of those that are not added up document by document there is none under
--    ties = expected.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with gained as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        ranks.rank as rank,
        ranks.gain as gain,
        ranks.share as share
    from gains_by_rank(dcg := $dcg, gains := $gains, judged_only := $judged_only, ties := $ties) as ranks
    cross join cutoffs(k := $k) as cutoffs
),
dcgs as (
    select
        evaluation_id,
        last_rank,
        fsum(gain / log2(rank + 1)) as usual,
        fsum(gain / log2(greatest(rank, 2))) as from_rank_2,
        fsum(gain / log2(rank + 2)) as one_late,
        fsum(gain / rank) as by_rank,
        fsum(gain) as undiscounted,
        fsum(case when gain > 0 then share / log2(rank + 1) end) as of_same_gain
    from gained
    where rank <= last_rank
    group by evaluation_id, last_rank
),
best_judged as (
    select
        judged_documents.qrels_id,
        judged_documents.topic_id,
        row_number() over (
            partition by judged_documents.qrels_id, judged_documents.topic_id
            order by grade_gains.gain desc
        ) as rank,
        grade_gains.gain
    from judged_documents
    join grade_gains(dcg := $dcg, gains := $gains) as grade_gains using (grade)
),
ideal_dcgs as (
    select
        best_judged.qrels_id,
        best_judged.topic_id,
        cutoffs.last_rank,
        fsum(case when rank <= last_rank then gain / log2(rank + 1) end) as usual,
        fsum(case when rank <= last_rank then gain / log2(greatest(rank, 2)) end) as from_rank_2,
        fsum(case when rank <= last_rank then gain / log2(rank + 2) end) as one_late,
        fsum(case when rank <= last_rank then gain / rank end) as by_rank,
        fsum(case when rank <= last_rank then gain end) as undiscounted,
        fsum(case when rank <= last_rank and gain > 0 then 1 / log2(rank + 1) end) as of_same_gain,
        fsum(gain / log2(rank + 1)) as of_all
    from best_judged
    cross join cutoffs(k := $k) as cutoffs
    group by best_judged.qrels_id, best_judged.topic_id, cutoffs.last_rank
),
ideal_dcgs_as_long as (
    select
        evaluated_topics.evaluation_id,
        cutoffs.last_rank,
        fsum(best_judged.gain / log2(best_judged.rank + 1)) as total
    from evaluated_topics
    join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
    join best_judged
        on best_judged.qrels_id = evaluated_topics.qrels_id
        and best_judged.topic_id = evaluated_topics.topic_id
        and best_judged.rank <= retrieved_counts.num_ret
    join cutoffs(k := $k) as cutoffs on best_judged.rank <= cutoffs.last_rank
    group by evaluated_topics.evaluation_id, cutoffs.last_rank
),
best_retrieved as (
    -- Documents without a gain are no part of it; those with a loss stand behind them, at the end of the first k.
    select
        gained.evaluation_id,
        gained.last_rank,
        gained.rank <= gained.last_rank as is_first,
        gained.gain,
        case
            when gained.gain > 0 then row_number() over (
                partition by gained.evaluation_id, gained.last_rank, gained.rank <= gained.last_rank
                order by gained.gain desc
            )
            else least(gained.last_rank, retrieved_counts.num_ret) + 1 - row_number() over (
                partition by gained.evaluation_id, gained.last_rank, gained.rank <= gained.last_rank
                order by gained.gain
            )
        end as place_in_first,
        case
            when gained.gain > 0 then row_number() over (
                partition by gained.evaluation_id, gained.last_rank
                order by gained.gain desc
            )
            else retrieved_counts.num_ret + 1 - row_number() over (
                partition by gained.evaluation_id, gained.last_rank
                order by gained.gain
            )
        end as place
    from gained
    join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
),
ideal_dcgs_of_retrieved as (
    select
        evaluation_id,
        last_rank,
        fsum(case when is_first then gain / log2(place_in_first + 1) end) as of_first,
        fsum(case when place <= last_rank then gain / log2(place + 1) end) as of_ranking
    from best_retrieved
    group by evaluation_id, last_rank
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        unnest([
            {
                'variant': '',
                'given': dcgs.usual / nullif(ideal_dcgs.usual, 0)
            },
            {
                'variant': 'discounts by log2(rank) from rank 2 on, as in the article of 2002',
                'given': dcgs.from_rank_2 / nullif(ideal_dcgs.from_rank_2, 0)
            },
            {
                'variant': 'discounts by log2(rank + 2), one rank late',
                'given': dcgs.one_late / nullif(ideal_dcgs.one_late, 0)
            },
            {
                'variant': 'discounts by the rank, not by its logarithm',
                'given': dcgs.by_rank / nullif(ideal_dcgs.by_rank, 0)
            },
            {
                'variant': 'does not discount',
                'given': dcgs.undiscounted / nullif(ideal_dcgs.undiscounted, 0)
            },
            {
                'variant': 'takes every relevant document for the same gain',
                'given': dcgs.of_same_gain / nullif(ideal_dcgs.of_same_gain, 0)
            },
            {
                'variant': 'does not cut the ideal list at k',
                'given': dcgs.usual / nullif(ideal_dcgs.of_all, 0)
            },
            {
                'variant': 'cuts the ideal list at the number retrieved',
                'given': dcgs.usual / nullif(ideal_dcgs_as_long.total, 0)
            }
        ] || case when $ties <> 'expected' then [
            {
                'variant': 'takes the ideal list from the retrieved documents',
                'given': dcgs.usual / nullif(ideal_dcgs_of_retrieved.of_first, 0)
            },
            {
                'variant': 'takes the ideal list from the whole ranking retrieved, cut at k',
                'given': dcgs.usual / nullif(ideal_dcgs_of_retrieved.of_ranking, 0)
            }
        ] else [] end, recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join dcgs using (evaluation_id, last_rank)
    left join ideal_dcgs using (qrels_id, topic_id, last_rank)
    left join ideal_dcgs_as_long using (evaluation_id, last_rank)
    left join ideal_dcgs_of_retrieved using (evaluation_id, last_rank)
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
