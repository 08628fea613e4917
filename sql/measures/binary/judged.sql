-- measure: Judged
-- title: Share of the first documents that are judged
-- aliases: judged_at
-- parameters: k = 10, ties
-- definition: Documents with a judgment of any grade among the first k, divided by k or by the number
--    retrieved, whichever is less; 0 if none is retrieved.
-- reference: MacAvaney, Macdonald and Ounis 2022, Streamlining evaluation with ir-measures,
--    doi:10.1007/978-3-030-99739-7_38
-- differs: trec_eval's unj is the complement, counts negative grades as unjudged and divides by k always.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it says itself how much is judged
-- example: single-value-1 Judged@10 = 1
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as num_judged_ret
    from ordered_ranks(ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(
        found.num_judged_ret
            / nullif(least(cutoffs.last_rank, evaluated_topics.num_ret), 0),
        0
    ) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join found using (evaluation_id, last_rank)
