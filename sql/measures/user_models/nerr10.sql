-- measure: NERR10
-- title: Nearly expected reciprocal rank: the reader stops by gain and with constant patience
-- parameters: p, min_rel, max_rel, depth, ties in {rule, worst, best}
-- columns:
--   expected_items           documents that the reader is expected to look at
--   expected_total_utility   gain expected from them
-- definition: Sum of W * gain, W being proportional to p^(rank - 1) times the product of 1 - gain over the
--    documents above and adding up to 1 over all places down to the depth. The gain is (grade - min_rel) /
--    (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 10
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models NERR10(p=0.5) = 0.4545
with read as (
    select
        evaluation_id,
        sum(case when gain > 0 then patience * gain * pow($p, last_place - 1) else 0 end) as gained,
        sum(patience * (pow($p, above) - coalesce(pow($p, last_place), 0)) / (1 - $p)) as items
    from gain_stretches(min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    read.gained / read.items as value,
    read.items as expected_items,
    read.gained as expected_total_utility
from evaluated_topics
join read on read.evaluation_id = evaluated_topics.evaluation_id
