-- title: Unjudged expected over all orders of tied documents
-- parameters: k
--   k integer in [1, inf) = 10      rank cutoff
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability) as num_judged_ret
    from relevance_probabilities(rel := 0)
    where rank <= $k
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    (least($k, evaluated_topics.num_ret) - coalesce(found.num_judged_ret, 0)) / $k as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id
