-- title: Tied documents of which one is preferred to the other, on balance of the judgment groups
-- parameters:
--   pairs varchar in {all, implied, retrieved} = all   preferences that count: all; those with a document
--                                                      retrieved; those with both retrieved
--   unit varchar in {one, share, group} = one   what a preference adds: 1; its share of the groups that have one
--                                     between the two; or 1 divided by the preferences that count of the group
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   better_id       key of the document preferred
--   worse_id        key of the other document
--   net             what is added by the first standing above the other, less what is by the reverse
with sizes as (
    select
        evaluation_id,
        judgment_group,
        num_possible
    from preference_counts(pairs := $pairs)
    where $unit = 'group'
),
weighted as (
    select
        outcomes.evaluation_id as evaluation_id,
        outcomes.tied_rank as first_rank,
        least(outcomes.better_id, outcomes.worse_id) as one_id,
        greatest(outcomes.better_id, outcomes.worse_id) as other_id,
        case
            when $unit = 'share' then outcomes.share
            when $unit = 'group' then cast(1 as double) / sizes.num_possible
            else cast(1 as double)
        end * case when outcomes.better_id < outcomes.worse_id then 1 else -1 end as weight
    from preference_outcomes() as outcomes
    left join sizes
        on sizes.evaluation_id = outcomes.evaluation_id
        and sizes.judgment_group = outcomes.judgment_group
    where outcomes.tied_rank is not null
),
balances as (
    select
        evaluation_id,
        first_rank,
        one_id,
        other_id,
        sum(weight) as balance
    from weighted
    group by evaluation_id, first_rank, one_id, other_id
)
-- What is left of equal sums by rounding is no preference.
select
    evaluation_id,
    first_rank,
    case when balance > 0 then one_id else other_id end as better_id,
    case when balance > 0 then other_id else one_id end as worse_id,
    abs(balance) as net
from balances
where abs(balance) > 1e-15
