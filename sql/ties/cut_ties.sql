-- title: The tie that a cutoff cuts, by how many of its relevant documents may stand above the cutoff
-- definition: The number is distributed hypergeometrically: of so many documents some are drawn.
-- parameters: k, rel
-- columns:
--   evaluation_id   key of the evaluation; those without such a tie, or with no relevant document in it, have no row
--   last_rank       the last rank that the cutoff lets in
--   num_rel         relevant documents of the tie above the cutoff
--   others_above    documents above the tie that are not relevant, judged or not
--   others_beside   such documents of the tie above the cutoff
--   probability     that it is this number, over all orders of the tie
with cut as (
    select
        ties.evaluation_id,
        cutoffs.last_rank,
        ties.last_rank - ties.first_rank + 1 as size,
        cutoffs.last_rank - ties.first_rank + 1 as num_kept,
        ties.num_rel,
        ties.first_rank - 1 - ties.rel_above as others_above
    from relevant_ties(rel := $rel) as ties
    join cutoffs(k := $k) as cutoffs
        on ties.first_rank <= cutoffs.last_rank
        and ties.last_rank > cutoffs.last_rank
),
ratios as (
    -- How many times as likely each number is as the one before.
    select
        cut.evaluation_id,
        cut.last_rank,
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
    join numbers_to_longest as numbers
        on numbers.number between greatest(cut.num_kept - cut.size + cut.num_rel, 0)
            and least(cut.num_kept, cut.num_rel)
),
logarithms as (
    -- Products of many ratios may be too great for a number, sums of their logarithms are not.
    select
        *,
        sum(ln(ratio)) over (
            partition by evaluation_id, last_rank
            order by number
            rows between unbounded preceding and current row
        ) as logarithm
    from ratios
),
weights as (
    select
        *,
        exp(logarithm - max(logarithm) over (partition by evaluation_id, last_rank)) as weight
    from logarithms
)
select
    evaluation_id,
    last_rank,
    number as num_rel,
    others_above,
    num_kept - number as others_beside,
    weight / sum(weight) over (partition by evaluation_id, last_rank) as probability
from weights
