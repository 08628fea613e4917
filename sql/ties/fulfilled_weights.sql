-- title: What the preferences fulfilled weigh in the worst and the best order of tied documents, and expected over all
-- definition: Over all orders a half of what tied documents decide is fulfilled. The best order adds half of each net
--    preference, less what cycles make it forgo. The worst order is its reverse and loses as much.
-- parameters: pairs, unit, ties in {worst, best, expected} = expected
-- columns: evaluation_id
--   fulfilled_weight   weight of the preferences fulfilled; null where it is not known
--   total_weight       weight of all preferences that count
with counts as (
    select
        evaluation_id,
        judgment_group,
        -- To count these groups takes long: where they are not asked for, they are not counted.
        case when $unit = 'share' then num_groups end as num_groups,
        count(*) as num_prefs,
        sum(
            case
                when tied_rank is not null then cast(0.5 as double)
                when is_fulfilled then cast(1 as double)
                else cast(0 as double)
            end
        ) as num_fulfilled
    from ranked_preferences()
    where num_ret >= case $pairs when 'all' then 0 when 'implied' then 1 else 2 end
    group by evaluation_id, judgment_group, case when $unit = 'share' then num_groups end
),
weighted_counts as (
    select
        evaluation_id,
        num_prefs,
        num_fulfilled,
        case $unit
            when 'share' then 1 / num_groups
            when 'group' then 1 / sum(num_prefs) over (partition by evaluation_id, judgment_group)
            else cast(1 as double)
        end as weight
    from counts
),
expected_weights as (
    select
        evaluation_id,
        sum(num_fulfilled * weight) as fulfilled_weight,
        sum(num_prefs * weight) as total_weight
    from weighted_counts
    group by evaluation_id
),
nets as (
    select
        evaluation_id,
        sum(net) as total
    from net_preferences(pairs := $pairs, unit := $unit)
    where $ties in ('worst', 'best')
    group by evaluation_id
),
losses as (
    select *
    from preference_losses(pairs := $pairs, unit := $unit)
    where $ties in ('worst', 'best')
)
select
    expected_weights.evaluation_id as evaluation_id,
    expected_weights.fulfilled_weight
        + case $ties when 'worst' then -1 when 'best' then 1 else 0 end
        * (
            coalesce(nets.total, 0) / 2
            - case when losses.evaluation_id is null then 0 else losses.loss end
        ) as fulfilled_weight,
    expected_weights.total_weight as total_weight
from expected_weights
left join nets using (evaluation_id)
left join losses using (evaluation_id)
