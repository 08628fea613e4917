-- title: How many preferences of each judgment group count, and how many of them a ranking fulfils
-- parameters: pairs, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     what is expected over all orders; from that preference_swings
--                                     leads to the worst and the best
-- columns:
--   evaluation_id    key of the evaluation
--   judgment_group   who prefers
--   num_possible     preferences that count
--   num_fulfilled    how many of them the ranking fulfils, or is expected to
with counted as (
    select
        evaluation_id,
        judgment_group,
        count(*) as num_possible,
        sum(fulfilled) as num_fulfilled
    from preference_outcomes(ties := $ties)
    where num_ret >= case $pairs when 'all' then 0 when 'implied' then 1 else 2 end
    group by evaluation_id, judgment_group
)
select
    evaluated_topics.evaluation_id as evaluation_id,
    preference_groups.judgment_group as judgment_group,
    coalesce(counted.num_possible, 0) as num_possible,
    coalesce(counted.num_fulfilled, 0) as num_fulfilled
from evaluated_topics
join preference_groups
    on preference_groups.qrels_id = evaluated_topics.qrels_id
    and preference_groups.topic_id = evaluated_topics.topic_id
left join counted
    on counted.evaluation_id = evaluated_topics.evaluation_id
    and counted.judgment_group = preference_groups.judgment_group
