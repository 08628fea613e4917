-- title: PrefsGroup in the worst and the best order of tied documents, and expected over all their orders
-- parameters: pairs, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
with group_counts as (
    select
        qrels_id,
        topic_id,
        count(distinct judgment_group) as num_groups
    from judged_levels
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when weights.evaluation_id is null then 0
        -- Added up over preferences it may end a rounding outside of 0 and 1.
        when weights.fulfilled_weight is not null
        then least(greatest(weights.fulfilled_weight / group_counts.num_groups, 0), 1)
    end as value
from evaluated_topics
left join group_counts
    on group_counts.qrels_id = evaluated_topics.qrels_id
    and group_counts.topic_id = evaluated_topics.topic_id
left join fulfilled_weights(pairs := $pairs, unit := 'group', ties := $ties) as weights
    on weights.evaluation_id = evaluated_topics.evaluation_id
