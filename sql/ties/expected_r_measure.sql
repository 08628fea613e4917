-- title: R_measure expected over all orders of tied documents
-- parameters: beta, gains
--   beta double in [0, 1e9] = 1   weight of gains over counts
-- columns: qrels, run, topic, value
with found as (
    select
        evaluations.evaluation_id as evaluation_id,
        sum(expected.probability) as num_found,
        sum(expected.gain) as total_gain
    from asked_evaluations() as evaluations
    join ideal_totals(gains := $gains) as ideal_totals
        on ideal_totals.qrels_id = evaluations.qrels_id
        and ideal_totals.topic_id = evaluations.topic_id
    join expected_cumulated_gains(gains := $gains) as expected
        on expected.evaluation_id = evaluations.evaluation_id
        and expected.rank <= ideal_totals.num_gained
    group by evaluations.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        (found.num_found + $beta * found.total_gain) / (ideal_totals.num_gained + $beta * ideal_totals.total_gain),
        0
    ) as value
from evaluated_topics
left join ideal_totals(gains := $gains) as ideal_totals
    on ideal_totals.qrels_id = evaluated_topics.qrels_id
    and ideal_totals.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
