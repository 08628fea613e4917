-- measure: NERR9
-- title: Nearly expected reciprocal rank: the reader stops by gain and rank, at the latest at the cutoff
-- parameters: k, min_rel, max_rel, ties in {rule, worst, best}
--   k integer in [1, inf) = 10               rank at which the reader stops in any case
-- columns: expected_items, expected_total_utility
-- definition: Sum of W * gain over the first k, W being proportional to 1 / rank times the product of 1 - gain
--    over the documents above and adding up to 1 over the first k, also where the ranking is shorter. The gain is
--    (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 9
-- differs: Equal to cwl_eval and ir_measures down to rank 1000, where they cut; they demand max_rel.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to k, stops
-- scores: no
-- example: user-models NERR9@4 = 0.4706
with harmonic_numbers as (
    select
        last_rank as k,
        rank,
        sum(1 / rank) over (
            partition by last_rank
            order by rank
            rows between unbounded preceding and current row
        ) as total
    from ranks_to_k(k := $k)
),
readers as (
    -- A reader who stops at a document has gone through the weights 1 / rank down to it, else through those to k.
    select
        gains_reached.evaluation_id as evaluation_id,
        to_k.k as k,
        fsum(gains_reached.reached * gains_reached.gain / gains_reached.rank) as gained,
        fsum(gains_reached.reached * gains_reached.gain * to_document.total)
            + min(gains_reached.reached * (1 - gains_reached.gain)) * max(to_k.total) as items
    from gains_reached(
        min_rel := $min_rel,
        max_rel := $max_rel,
        depth := (select max(cutoffs.k) from cutoffs(k := $k) as cutoffs),
        ties := $ties
    ) as gains_reached
    join harmonic_numbers as to_document using (rank)
    join harmonic_numbers as to_k
        on to_k.k = to_document.k
        and to_k.rank = to_document.k
    group by gains_reached.evaluation_id, to_k.k
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    to_k.k,
    coalesce(readers.gained / readers.items, 0) as value,
    coalesce(readers.items, to_k.total) as expected_items,
    coalesce(readers.gained, 0) as expected_total_utility
from evaluated_topics
join harmonic_numbers as to_k on to_k.rank = to_k.k
left join readers using (evaluation_id, k)
