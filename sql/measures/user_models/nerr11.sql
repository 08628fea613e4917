-- measure: NERR11
-- title: Nearly expected reciprocal rank: the reader stops by gain, and as under INSQ
-- parameters: t, min_rel, max_rel, depth, ties in {rule, worst, best}
-- columns:
--   expected_items           documents that the reader is expected to look at
--   expected_total_utility   gain expected from them
-- definition: Sum of W * gain, the weights W being proportional each to 1 / (rank + 2t - 1)^2 times the product of
--    1 - gain over the documents above, adding up to 1 over all places down to the depth. The gain is (grade -
--    min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 11
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and take 1000 places; the definition in print
--    goes on without end, depth=null.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models NERR11(depth=4) = 0.4639
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    inst_totals.gained / inst_totals.items as value,
    inst_totals.items as expected_items,
    inst_totals.gained as expected_total_utility
from evaluated_topics
join inst_totals(
    model := 'nerr11', t := $t, min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties
) as inst_totals
    on inst_totals.evaluation_id = evaluated_topics.evaluation_id
