-- title: Rankings with tied documents of which no order fulfils every preference of every judgment group
-- columns:
--   evaluation_id   key of the evaluation; also where there are too many preferences to search for a cycle
with tied_preferences as (
    select
        evaluation_id,
        judgment_group,
        better_id,
        least(better_id, worse_id) as one_id,
        greatest(better_id, worse_id) as other_id
    from ranked_preferences() as ranked_preferences
    where tied_rank is not null
),
contradictions as (
    select
        evaluation_id,
        one_id,
        other_id
    from tied_preferences
    group by evaluation_id, one_id, other_id
    having count(distinct better_id) > 1
),
several_groups as (
    -- The preferences of one group form no cycle.
    select evaluation_id
    from tied_preferences
    group by evaluation_id
    having count(distinct judgment_group) > 1
)
select evaluation_id
from contradictions
union
select several_groups.evaluation_id
from several_groups
join preference_cycles(pairs := 'all', unit := 'one') as cycles on cycles.evaluation_id = several_groups.evaluation_id
