-- measure: NERR10
-- title: Nearly expected reciprocal rank: the reader stops by gain and with constant patience
-- parameters: p, min_rel, max_rel, depth, ties in {rule, worst, best}
-- columns: expected_items, expected_total_utility
-- definition: Sum of W * gain, W being proportional to p^(rank - 1) times the product of 1 - gain over the
--    documents above and adding up to 1 over all ranks down to the depth. The gain is (grade - min_rel) /
--    (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 10
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to depth, stops
-- scores: no
-- example: user-models NERR10(p=0.5) = 0.4545
with readers as (
    -- The sum of p^(rank - 1) down to a rank is (1 - p^rank) / (1 - p). A reader who stops at a document for
    -- its gain comes so far, and one who stops at none comes to the depth.
    select
        evaluation_id,
        fsum(reached * gain * pow($p, rank - 1)) as gained,
        fsum(reached * gain * (1 - pow($p, rank)) / (1 - $p))
            + min(reached * (1 - gain) * (1 - coalesce(pow($p, $depth), 0)) / (1 - $p)) as items
    from gains_reached(min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(readers.gained / readers.items, 0) as value,
    coalesce(readers.items, (1 - coalesce(pow($p, $depth), 0)) / (1 - $p)) as expected_items,
    coalesce(readers.gained, 0) as expected_total_utility
from evaluated_topics
left join readers using (evaluation_id)
