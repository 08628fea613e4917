-- title: PrefsPair in the worst and the best order of tied documents, and expected over all their orders
-- parameters: pairs, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case when weights.evaluation_id is null then 0 else weights.fulfilled_weight / weights.total_weight end as value
from evaluated_topics
left join fulfilled_weights(pairs := $pairs, unit := 'share', ties := $ties) as weights
    on weights.evaluation_id = evaluated_topics.evaluation_id
