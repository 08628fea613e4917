-- title: Rank of the first relevant document of each ranking that has one
-- parameters: rel, judged_only, ties
-- columns:
--   evaluation_id   key of the evaluation
--   rank            place of the first relevant document
--   share           probability that it stands there; 1 but for what is expected
with tied as (
    select
        evaluation_id,
        rank,
        num_rel,
        last_rank - first_rank + 1 as size,
        rank - first_rank as num_above
    from tie_group_ranks(rel := $rel, judged_only := $judged_only)
    where
        $ties = 'expected'
        and rel_above = 0
        and rank <= last_rank - num_rel + 1
),
logarithms as (
    -- The chance that the document at this place is not relevant where none above it is; it is 0 at the last place.
    select
        evaluation_id,
        rank,
        num_above,
        num_rel,
        size,
        case
            when num_above < size - num_rel
            then ln(cast(size - num_rel - num_above as double) / (size - num_above))
            else 0
        end as logarithm
    from tied
)
select
    evaluation_id,
    min(rank) as rank,
    cast(1 as double) as share
from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
where $ties <> 'expected'
group by evaluation_id
union all
select
    evaluation_id,
    rank,
    exp(coalesce(sum(logarithm) over above, 0)) * num_rel / (size - num_above) as share
from logarithms
window above as (
    partition by evaluation_id
    order by rank
    rows between unbounded preceding and 1 preceding
)
