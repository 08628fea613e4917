-- title: FRS expected over all orders of tied documents
-- parameters: base, rel, judged_only
--   base double in (1, inf) = 1.08  discount per rank
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability * pow($base, 1 - rank)) as total
    from first_relevant_probabilities(rel := $rel, judged_only := $judged_only)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.total, 0) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id
