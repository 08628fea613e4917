-- title: G expected over all orders of tied documents
-- parameters: gains
-- columns: qrels, run, topic, value
with tie_totals as (
    select
        evaluation_id,
        first_rank,
        sum(addition) as total
    from gain_additions(gains := $gains, ties := 'expected')
    group by evaluation_id, first_rank
),
sums as (
    select
        gain_kinds.evaluation_id as evaluation_id,
        count(*) - count(tie_totals.total) as num_unknown,
        sum(tie_totals.total) as total
    from gain_kinds(gains := $gains) as gain_kinds
    left join tie_totals
        on tie_totals.evaluation_id = gain_kinds.evaluation_id
        and tie_totals.first_rank = gain_kinds.first_rank
    where gain_kinds.kind_number = 1
    group by gain_kinds.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when sums.num_unknown > 0 and ideal_totals.total_gain > 0 then null
        else coalesce(sums.total / ideal_totals.total_gain, 0)
    end as value
from evaluated_topics
left join ideal_totals(gains := $gains) as ideal_totals
    on ideal_totals.qrels_id = evaluated_topics.qrels_id
    and ideal_totals.topic_id = evaluated_topics.topic_id
left join sums on sums.evaluation_id = evaluated_topics.evaluation_id
