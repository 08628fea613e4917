-- title: P_IA expected over all orders of tied documents
-- definition: Of a tie's relevant documents the part is found that its ranks among the first k are of all its ranks.
-- parameters: k = 10, rel, judged_only
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(
            cast(num_rel as double)
                * (least(coalesce($k, last_rank), last_rank) - first_rank + 1)
                / (last_rank - first_rank + 1)
        ) as num_rel_ret
    from subtopic_ties(rel := $rel, judged_only := $judged_only)
    where first_rank <= coalesce($k, first_rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        found.num_rel_ret
            / coalesce($k, retrieved_counts.num_ret)
            / subtopic_counts.num_subtopics,
        0
    ) as value
from evaluated_topics
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
left join retrieved_counts(judged_only := $judged_only) as retrieved_counts
    on retrieved_counts.evaluation_id = evaluated_topics.evaluation_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
