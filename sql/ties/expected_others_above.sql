-- title: What others_above is expected to give over all orders of tied documents
-- definition: Of the documents tied with a relevant one that are not relevant, 0 to all stand above it, each number
--    with the same probability.
-- parameters: rel, nonrelevant
-- columns: evaluation_id
--   others_above   documents above a relevant one that are not relevant
--   share          relevant documents of a tie expected to have as many above
with ties as (
    select
        evaluation_id,
        num_rel,
        case when $nonrelevant = 'judged' then num_nonrel else last_rank - first_rank + 1 - num_rel end as num_others,
        case when $nonrelevant = 'judged' then nonrel_above else first_rank - 1 - rel_above end as others_above
    from tie_groups(rel := $rel)
    where num_rel > 0
)
select
    evaluation_id,
    others_above,
    cast(num_rel as double) as share
from ties
where num_others = 0
union all
select
    ties.evaluation_id,
    ties.others_above + ranks_to_longest.rank - 1 as others_above,
    ties.num_rel / (ties.num_others + 1) as share
from ties
join ranks_to_longest on ranks_to_longest.rank <= ties.num_others + 1
where ties.num_others > 0
