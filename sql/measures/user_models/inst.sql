-- measure: INST
-- title: Weighted precision of a reader who goes on the likelier the more is still missing
-- parameters: t, min_rel, max_rel, depth, ties
--   ties varchar in {rule, worst, best} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best over all orders; not known (null) where t is
--                                     below 0.5; what is expected has no known closed form
-- columns:
--   expected_items           documents that the reader is expected to look at
--   expected_total_utility   gain expected from them
-- definition: Sum of W * gain, the weights W being proportional each to the one above it as ((rank + d - 1) /
--    (rank + d))^2 with the rank of the upper one and d = 2t less the gains down to it, adding up to 1 over all
--    places down to the depth. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Moffat, Bailey, Scholer and Thomas 2015, INST: an adaptive metric for information retrieval
--    evaluation, doi:10.1145/2838931.2838938
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and take 1000 places; the definition in print
--    goes on without end, depth=null.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models INST(depth=4) = 0.4175
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    -- Below 0.5 a gain can make the reader go on, and a greater gain first is not always better.
    case when $ties = 'rule' or $t >= 0.5 then inst_totals.gained / inst_totals.items end as value,
    inst_totals.items as expected_items,
    inst_totals.gained as expected_total_utility
from evaluated_topics
join inst_totals(
    model := 'inst', t := $t, min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties
) as inst_totals
    on inst_totals.evaluation_id = evaluated_topics.evaluation_id
