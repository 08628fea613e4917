-- measure: Unjudged
-- title: Share of the first documents that have no judgment
-- trec_eval: unj.k = 5,10,20
-- parameters: k, ties
--   k integer in [1, inf) = 10      rank cutoff
-- definition: Documents without a grade of 0 or more among the first k, divided by k. A ranking shorter than k is still
--    divided by k.
-- reference: Soboroff, trec_eval 10, measure unj
-- differs: Equal to trec_eval 10; 9.0.8 has none. Judged counts negative grades as judged and divides by the number
--    retrieved where that is less than k.
-- range: 0 1
-- mean: arithmetic
-- holes: none, it says itself how much is judged
-- better: less
-- scores: no
-- example: mixed Unjudged@5 = 0.1333
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as num_judged_ret
    from relevant_ranks(rel := 0, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    (least(cutoffs.k, evaluated_topics.num_ret) - coalesce(found.num_judged_ret, 0)) / cutoffs.k as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join found using (evaluation_id, last_rank)
