-- title: GSuccess expected over all orders of tied documents
-- parameters: k, rel
--   k integer in [2, inf) = 10      rank at which the score is one half
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability * pow(cast(2 as double), (1 - rank) / ($k - 1))) as total
    from first_relevant_probabilities(rel := $rel)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.total, 0) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id
