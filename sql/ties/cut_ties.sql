-- title: The tie that the cutoff cuts, by how many of its relevant documents may stand above the cutoff
-- definition: The number is distributed hypergeometrically: of so many documents some are drawn.
-- parameters: k, rel
-- columns:
--   evaluation_id   key of the evaluation; those without such a tie, or with no relevant document in it, have no row
--   num_rel         relevant documents of the tie above the cutoff
--   others_above    documents above the tie that are not relevant, judged or not
--   others_beside   such documents of the tie above the cutoff
--   probability     that it is this number, over all orders of the tie
with cut as (
    select
        evaluation_id,
        last_rank - first_rank + 1 as size,
        $k - first_rank + 1 as num_kept,
        num_rel,
        first_rank - 1 - rel_above as others_above
    from relevant_ties(rel := $rel)
    where
        first_rank <= $k
        and last_rank > $k
),
numbers as (
    select 0 as number
    union all
    select rank as number
    from ranks_to_longest
),
ratios as (
    -- How many times as likely each number is as the one before.
    select
        cut.evaluation_id,
        cut.num_kept,
        cut.others_above,
        numbers.number,
        case
            when numbers.number > greatest(cut.num_kept - cut.size + cut.num_rel, 0)
            then cast(cut.num_kept - numbers.number + 1 as double)
                * (cut.num_rel - numbers.number + 1)
                / numbers.number
                / (cut.size - cut.num_kept - cut.num_rel + numbers.number)
            else cast(1 as double)
        end as ratio
    from cut
    join numbers
        on numbers.number between greatest(cut.num_kept - cut.size + cut.num_rel, 0)
            and least(cut.num_kept, cut.num_rel)
),
logarithms as (
    -- Products of many ratios may be too great for a number, sums of their logarithms are not.
    select
        evaluation_id,
        num_kept,
        others_above,
        number,
        sum(ln(ratio)) over (
            partition by evaluation_id
            order by number
            rows between unbounded preceding and current row
        ) as logarithm
    from ratios
),
weights as (
    select
        evaluation_id,
        num_kept,
        others_above,
        number,
        exp(logarithm - max(logarithm) over (partition by evaluation_id)) as weight
    from logarithms
)
select
    evaluation_id,
    number as num_rel,
    others_above,
    num_kept - number as others_beside,
    weight / sum(weight) over (partition by evaluation_id) as probability
from weights
