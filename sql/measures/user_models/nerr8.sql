-- measure: NERR8
-- title: Nearly expected reciprocal rank: the reader stops by gain, at the latest at the cutoff
-- parameters: k, min_rel, max_rel, ties in {rule, worst, best}
--   k integer in [1, inf) = 10               rank at which the reader stops in any case
-- columns: expected_items, expected_total_utility
-- definition: Sum of W * gain over the first k, W being proportional to the product of 1 - gain over the documents
--    above and adding up to 1 over the first k, also where the ranking is shorter. The gain is (grade - min_rel) /
--    (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 8
-- differs: Equal to cwl_eval and ir_measures down to rank 1000, where they cut; they demand max_rel.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, stops
-- scores: no
-- example: user-models NERR8@4 = 0.5
with readers as (
    -- A reader who stops at a document has looked at as many as its rank says; one who stops at none, at k.
    select
        evaluation_id,
        cutoffs.last_rank,
        fsum(reached * gain) as gained,
        fsum(reached * gain * rank) + min(reached * (1 - gain)) * max(cutoffs.k) as items
    from gains_reached(
        min_rel := $min_rel,
        max_rel := $max_rel,
        depth := (select max(cutoffs.k) from cutoffs(k := $k) as cutoffs),
        ties := $ties
    )
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(readers.gained / readers.items, 0) as value,
    coalesce(readers.items, cutoffs.k) as expected_items,
    coalesce(readers.gained, 0) as expected_total_utility
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join readers using (evaluation_id, last_rank)
