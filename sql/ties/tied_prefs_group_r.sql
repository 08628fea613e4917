-- title: PrefsGroupR in the worst and the best order of tied documents, and expected over all their orders
-- definition: It is not known (null) where the order of tied documents decides which preferences of a group count, nor
--    are the worst and the best where no order fulfils every preference of every group.
-- parameters: pairs in {all, retrieved}, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
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
),
unsatisfiable_ties as (
    -- Rankings with too many preferences to search for a cycle are among them.
    select evaluation_id
    from contradictions
    union
    select several_groups.evaluation_id
    from several_groups
    join preference_cycles(pairs := 'all', unit := 'one') as cycles using (evaluation_id)
),
averages as (
    select
        balanced.evaluation_id,
        case
            when min(case when not balanced.is_open then balanced.num_prefs end) = 0 then 0
            when count(case when balanced.is_open then 1 end) = 0 and count(unsatisfiable_ties.evaluation_id) = 0
            then avg(balanced.num_fulfilled / nullif(balanced.num_prefs, 0))
        end as value
    from balanced_preferences(pairs := $pairs, ties := $ties) as balanced
    left join unsatisfiable_ties
        on unsatisfiable_ties.evaluation_id = balanced.evaluation_id
        and $ties in ('worst', 'best')
    group by balanced.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when averages.evaluation_id is null then 0 else averages.value end as value
from evaluated_topics
left join averages using (evaluation_id)
