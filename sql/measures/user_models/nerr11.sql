-- measure: NERR11
-- title: Nearly expected reciprocal rank: the reader stops by gain, and as under INSQ
-- parameters: t, min_rel, max_rel, depth, ties in {rule, worst, best}
-- columns: expected_items, expected_total_utility
-- definition: Sum of W * gain, the weights W being proportional each to 1 / (rank + 2t - 1)^2 times the product of
--    1 - gain over the documents above, adding up to 1 over all ranks down to the depth. The gain is (grade -
--    min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 11
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and take 1000 ranks; the definition in print
--    goes on without end, depth=null.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to depth, stops
-- scores: no
-- example: user-models NERR11(depth=4) = 0.4639
with readers as (
    -- The sum of 1 / (rank + 2t - 1)^2 down to a rank is trigamma(2t) - trigamma(rank + 2t). A reader who
    -- stops at a document for its gain comes so far, and one who stops at none comes to the depth.
    select
        evaluation_id,
        fsum(reached * gain / pow(rank + 2 * $t - 1, 2)) as gained,
        fsum(reached * gain * (trigamma(2 * $t) - trigamma(rank + 2 * $t)))
            + min(
                reached * (1 - gain) * (trigamma(2 * $t) - coalesce(trigamma($depth + 2 * $t), 0))
            ) as items
    from gains_reached(min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(readers.gained / readers.items, 0) as value,
    4 * $t * $t
        * coalesce(readers.items, trigamma(2 * $t) - coalesce(trigamma($depth + 2 * $t), 0)) as expected_items,
    4 * $t * $t * coalesce(readers.gained, 0) as expected_total_utility
from evaluated_topics
left join readers using (evaluation_id)
