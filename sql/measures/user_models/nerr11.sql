-- measure: NERR11
-- title: Nearly expected reciprocal rank: the reader stops by gain, and as under INSQ
-- parameters: t, min_rel, max_rel, depth, ties in {rule, worst, best}
-- columns:
--   expected_items           documents that the reader is expected to look at
--   expected_total_utility   gain expected from them
-- definition: Sum of W * gain, the weights W being proportional each to 1 / (rank + 2t - 1)^2 times the product of
--    1 - gain over the documents above, adding up to 1 over all ranks down to the depth. The gain is (grade -
--    min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Mackenzie and Moffat 2021, ERR is not C/W/L: exploring the relationship between expected
--    reciprocal rank and other metrics, doi:10.1145/3471158.3472239, equation 11
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and take 1000 ranks; the definition in print
--    goes on without end, depth=null.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models NERR11(depth=4) = 0.4639
with visits as (
    -- The product of 1 - gain over the documents above; -1000 makes it 0 below a document of gain 1.
    select
        evaluation_id,
        rank,
        gain,
        weights,
        4 * $t * $t * exp(
            coalesce(
                sum(case when gain < 1 then ln(1 - gain) else -1000 end) over (
                    partition by evaluation_id
                    order by rank nulls last, gain desc
                    rows between unbounded preceding and 1 preceding
                ),
                0
            )
        ) as factor
    from goal_stretches(
        t := $t, is_moved := false, min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties
    )
),
readers as (
    select
        evaluation_id,
        sum(case when gain > 0 then factor * gain / pow(rank + 2 * $t - 1, 2) else 0 end) as gained,
        sum(factor * weights) as items
    from visits
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    readers.gained / readers.items as value,
    readers.items as expected_items,
    readers.gained as expected_total_utility
from evaluated_topics
join readers on readers.evaluation_id = evaluated_topics.evaluation_id
