-- title: Tied documents of which one is preferred to the other, on balance of the judgment groups
-- parameters: pairs, unit
-- columns: evaluation_id
--   first_rank   first rank of the tie
--   better_id    key of the document preferred
--   worse_id     key of the other document
--   net          weight of the preferences for it, less that of those for the other
with group_counts as (
    select
        evaluation_id,
        judgment_group,
        count(*) as num_prefs
    from ranked_preferences() as ranked_preferences
    where
        $unit = 'group'
        and num_ret >= case $pairs when 'all' then 0 when 'implied' then 1 else 2 end
    group by evaluation_id, judgment_group
),
weighted_preferences as (
    select
        ranked_preferences.evaluation_id as evaluation_id,
        ranked_preferences.tied_rank as first_rank,
        ranked_preferences.better_id as better_id,
        ranked_preferences.worse_id as worse_id,
        case $unit
            when 'share' then 1 / ranked_preferences.num_groups
            when 'group' then 1 / group_counts.num_prefs
            else cast(1 as double)
        end as weight
    from ranked_preferences() as ranked_preferences
    left join group_counts using (evaluation_id, judgment_group)
    where ranked_preferences.tied_rank is not null
),
balances as (
    select
        evaluation_id,
        first_rank,
        least(better_id, worse_id) as one_id,
        greatest(better_id, worse_id) as other_id,
        sum(case when better_id < worse_id then weight else -weight end) as balance
    from weighted_preferences
    group by evaluation_id, first_rank, least(better_id, worse_id), greatest(better_id, worse_id)
)
-- The rounding of equal sums is no preference.
select
    evaluation_id,
    first_rank,
    case when balance > 0 then one_id else other_id end as better_id,
    case when balance > 0 then other_id else one_id end as worse_id,
    abs(balance) as net
from balances
where abs(balance) > 1e-15
