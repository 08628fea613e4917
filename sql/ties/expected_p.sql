-- title: P expected over all orders of tied documents
-- parameters: k = 10, rel, relative, judged_only
--   relative boolean = false   divide by the number of relevant documents where that is less
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(probability) as num_rel_ret
    from relevance_probabilities(rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        found.num_rel_ret
            / nullif(
                case
                    when $relative then least(coalesce($k, retrieved_counts.num_ret), topic_counts.num_rel)
                    else coalesce($k, retrieved_counts.num_ret)
                end,
                0
            ),
        0
    ) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join retrieved_counts(judged_only := $judged_only) as retrieved_counts
    on retrieved_counts.evaluation_id = evaluated_topics.evaluation_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
