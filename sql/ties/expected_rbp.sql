-- title: RBP expected over all orders of tied documents
-- parameters: p = 0.8, rel, gains, k, judged_only
-- columns: qrels, run, topic, value
with gained as (
    select
        evaluation_id,
        rank,
        probability as gain
    from relevance_probabilities(rel := $rel, judged_only := $judged_only)
    where $gains is null
    union all
    select
        evaluation_id,
        rank,
        gain
    from expected_gains(gains := $gains, judged_only := $judged_only)
    where $gains is not null
),
discounted as (
    select
        evaluation_id,
        sum(gain * pow($p, rank - 1)) as total
    from gained
    where rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    (1 - $p) * coalesce(discounted.total, 0) as value
from evaluated_topics
left join discounted on discounted.evaluation_id = evaluated_topics.evaluation_id
