-- title: How likely the first relevant document stands at a rank, over all orders of tied documents
-- definition: The probability that the tie's documents above the rank are all not relevant, times that of a relevant
--    one at the rank.
-- parameters: rel, judged_only
-- columns: evaluation_id
--   rank    a rank of the first tie that holds a relevant document
--   share   probability that the first relevant document stands there
with tied as (
    select
        ties.evaluation_id,
        ranks_to_longest.rank as rank,
        ties.num_rel,
        ties.last_rank - ties.first_rank + 1 as size,
        ranks_to_longest.rank - ties.first_rank as num_above
    from relevant_ties(rel := $rel, judged_only := $judged_only) as ties
    join ranks_to_longest on ranks_to_longest.rank between ties.first_rank and ties.last_rank - ties.num_rel + 1
    where ties.rel_above = 0
),
logarithms as (
    -- The chance that the document at this rank is not relevant where none above it is; it is 0 at the last one.
    select
        *,
        case
            when num_above < size - num_rel
            then ln((size - num_rel - num_above) / (size - num_above))
            else 0
        end as logarithm
    from tied
)
select
    evaluation_id,
    rank,
    exp(coalesce(sum(logarithm) over groups_above, 0)) * num_rel / (size - num_above) as share
from logarithms
window groups_above as (
    partition by evaluation_id
    order by rank
    rows between unbounded preceding and 1 preceding
)
