-- title: AP expected over all orders of tied documents
-- parameters: k, rel, judged_only
-- columns: qrels, run, topic, value
with precisions as (
    select
        evaluation_id,
        sum(probability * relevant_rank / rank) as total
    from expected_relevant_ranks(rel := $rel, judged_only := $judged_only)
    where rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(precisions.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join precisions on precisions.evaluation_id = evaluated_topics.evaluation_id
