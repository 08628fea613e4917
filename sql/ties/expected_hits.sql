-- title: Hits expected over all orders of tied documents
-- parameters: k, rel
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability) as num_rel_ret
    from relevance_probabilities(rel := $rel)
    where rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.num_rel_ret, 0) as value
from evaluated_topics
left join found on found.evaluation_id = evaluated_topics.evaluation_id
