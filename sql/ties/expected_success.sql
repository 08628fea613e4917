-- title: Success expected over all orders of tied documents
-- parameters: k = 10, rel, judged_only
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability) as total
    from first_relevant_probabilities(rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.total, 0) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id
