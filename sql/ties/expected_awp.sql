-- title: AWP expected over all orders of tied documents
-- parameters: gains
-- columns: qrels, run, topic, value
with averages as (
    select
        expected.evaluation_id,
        sum(expected.cumulated_gain / coalesce(ideal_cumulated_gains.cumulated_gain, ideal_totals.total_gain))
            / max(ideal_totals.num_gained) as value
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals
        on ideal_totals.qrels_id = evaluations.qrels_id
        and ideal_totals.topic_id = evaluations.topic_id
    join expected_cumulated_gains(gains := $gains) as expected
        on expected.evaluation_id = evaluations.evaluation_id
    left join ideal_cumulated_gains(gains := $gains) as ideal_cumulated_gains
        on ideal_cumulated_gains.qrels_id = evaluations.qrels_id
        and ideal_cumulated_gains.topic_id = evaluations.topic_id
        and ideal_cumulated_gains.rank = expected.rank
    group by expected.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
