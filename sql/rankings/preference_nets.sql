-- title: Tied documents of which one is preferred to the other, on balance of the judgment groups
-- parameters:
--   pairs varchar in {all, implied, retrieved} = all   preferences that count: all; those with a document
--                                                      retrieved; those with both retrieved
--   unit varchar in {count, simple, group, pair} = count   what a preference fulfilled adds: 1; or what it does to
--                                                      PrefsSimple, PrefsGroup or PrefsPair
-- columns:
--   evaluation_id   key of the evaluation
--   first_rank      place of the first document of the tie
--   better_id       key of the document preferred
--   worse_id        key of the other document
--   net             what is added by the first standing above the other, less what is by the reverse
with counting as (
    select
        evaluation_id,
        judgment_group,
        better_id,
        worse_id,
        tied_rank,
        share,
        sum(share) over (partition by evaluation_id) as num_pairs,
        count(*) over (partition by evaluation_id) as num_possible,
        count(*) over (partition by evaluation_id, judgment_group) as num_of_group
    from preference_outcomes()
    where num_ret >= case $pairs when 'all' then 0 when 'implied' then 1 else 2 end
),
group_counts as (
    select
        qrels_id,
        topic_id,
        count(*) as num_groups
    from preference_groups
    group by qrels_id, topic_id
),
weighted as (
    select
        counting.evaluation_id as evaluation_id,
        counting.tied_rank as first_rank,
        least(counting.better_id, counting.worse_id) as one_id,
        greatest(counting.better_id, counting.worse_id) as other_id,
        case
            when $unit = 'simple' then cast(1 as double) / counting.num_possible
            when $unit = 'group' then cast(1 as double) / counting.num_of_group / group_counts.num_groups
            when $unit = 'pair' then counting.share / counting.num_pairs
            else cast(1 as double)
        end * case when counting.better_id < counting.worse_id then 1 else -1 end as weight
    from counting
    join evaluations on evaluations.evaluation_id = counting.evaluation_id
    join group_counts
        on group_counts.qrels_id = evaluations.qrels_id
        and group_counts.topic_id = evaluations.topic_id
    where counting.tied_rank is not null
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
