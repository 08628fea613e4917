-- title: PrefsGroupR in the worst and the best order of tied documents, and expected over all their orders
-- definition: It is not known (null) where the order of tied documents decides which preferences of a group count, nor
--    are the worst and the best where no order fulfils every preference of every group.
-- parameters: pairs in {all, retrieved}, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
with averages as (
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
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
