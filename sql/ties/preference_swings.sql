-- title: How far the worst and the best order of tied documents take preferences from what is expected over all orders
-- parameters:
--   pairs varchar in {all, implied, retrieved} = all   preferences that count: all; those with a document
--                                                      retrieved; those with both retrieved
--   unit varchar in {one, share, group} = one   what a preference adds: 1; its share of the groups that have one
--                                     between the two; or 1 divided by the preferences that count of the group
--   ties varchar in {worst, best} = best   whether the worst or the best order is looked for
-- columns:
--   evaluation_id   key of the evaluation
--   swing           what the order adds, below 0 for the worst; null where it is not known
with sums as (
    select
        evaluation_id,
        sum(net) as total
    from net_preferences(pairs := $pairs, unit := $unit)
    where $ties in ('worst', 'best')
    group by evaluation_id
),
losses as (
    select
        evaluation_id,
        case when loss is null then 1 else 0 end as is_unknown,
        loss
    from preference_losses(pairs := $pairs, unit := $unit)
    where $ties in ('worst', 'best')
)
-- An order turned round fulfils what it did not and forgoes what it did, so that the worst mirrors the best.
select
    sums.evaluation_id as evaluation_id,
    case
        when coalesce(losses.is_unknown, 0) = 0
        then (sums.total / 2 - coalesce(losses.loss, 0)) * case when $ties = 'best' then 1 else -1 end
    end as swing
from sums
left join losses on losses.evaluation_id = sums.evaluation_id
