-- title: Rankings with tied documents that stand in no order to the liking of all judgment groups
-- columns:
--   evaluation_id   key of the evaluation; also where the groups' preferences are too many to search for a circle
with tied as (
    select
        evaluation_id,
        judgment_group,
        better_id,
        least(better_id, worse_id) as one_id,
        greatest(better_id, worse_id) as other_id
    from preference_outcomes() as outcomes
    where tied_rank is not null
),
opposed as (
    select
        evaluation_id,
        one_id,
        other_id
    from tied
    group by evaluation_id, one_id, other_id
    having count(distinct better_id) > 1
),
shared as (
    -- No group by itself prefers in a circle.
    select evaluation_id
    from tied
    group by evaluation_id
    having count(distinct judgment_group) > 1
)
select evaluation_id
from opposed
union
select shared.evaluation_id
from shared
join preference_cycles(pairs := 'all', unit := 'one') as circles on circles.evaluation_id = shared.evaluation_id
