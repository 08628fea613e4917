-- measure: INST
-- title: Weighted precision of a reader who goes on the likelier the more is still missing
-- parameters: t, min_rel, max_rel, depth, ties
--   ties varchar in {rule, worst, best} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best over all orders; not known (null) where t is
--                                     below 0.5; what is expected has no known closed form
-- columns: expected_items, expected_total_utility
-- definition: Sum of W * gain, the weights W being proportional each to the one above it as ((rank + d - 1) /
--    (rank + d))^2 with the rank of the upper one and d = 2t less the gains down to it, adding up to 1 over all
--    ranks down to the depth. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Moffat, Bailey, Scholer and Thomas 2015, INST: an adaptive metric for information retrieval
--    evaluation, doi:10.1145/2838931.2838938
-- differs: Equal to cwl_eval and ir_measures, which demand max_rel and take 1000 ranks; the definition in print
--    goes on without end, depth=null.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to depth
-- scores: no
-- example: user-models INST(depth=4) = 0.4175
with gained as (
    select
        evaluation_id,
        rank,
        gain
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel, ties := $ties)
    where rank <= coalesce($depth, rank)
    union all
    select
        evaluation_id,
        $depth as rank,
        0 as gain
    from asked_evaluations()
),
stretches as (
    -- The ranks down to each gained document, and those below all of them: throughout each of them d stays the same.
    select
        evaluation_id,
        rank,
        gain,
        coalesce(lag(rank) over down, 0) as rank_above,
        2 * $t - (sum(gain) over down - gain) as goal
    from gained
    window down as (
        partition by evaluation_id
        order by rank nulls last, gain desc
        rows between unbounded preceding and current row
    )
),
visits as (
    -- Within a stretch the weights are in proportion to 1 / (rank + d - 1)^2. Below a gain they are so with a lesser d,
    -- and the factor makes good for it; -1000 makes it 0 where the reader stops for certain.
    select
        evaluation_id,
        rank,
        gain,
        rank_above,
        goal,
        4 * $t * $t * exp(
            2 * coalesce(
                sum(
                    case
                        when abs(rank + goal - gain - 1) < 1e-12 then -1000
                        else ln(abs((rank + goal - gain - 1) / (rank + goal - 1)))
                    end
                ) over (
                    partition by evaluation_id
                    order by rank nulls last, gain desc
                    rows between unbounded preceding and 1 preceding
                ),
                0
            )
        ) as factor
    from stretches
),
readers as (
    -- The sum of 1 / (rank + d - 1)^2 over a stretch is the difference of the trigamma function at its two edges.
    select
        evaluation_id,
        fsum(case when gain > 0 then factor * gain / pow(rank + goal - 1, 2) else 0 end) as gained,
        fsum(factor * (trigamma(rank_above + goal) - coalesce(trigamma(rank + goal), 0))) as items
    from visits
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    -- Below 0.5 a gain can make the reader go on, and a greater gain first is not always better.
    case when $ties = 'rule' or $t >= 0.5 then readers.gained / readers.items end as value,
    readers.items as expected_items,
    readers.gained as expected_total_utility
from evaluated_topics
join readers using (evaluation_id)
