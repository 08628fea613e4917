-- title: P_IA of the worst or the best order of tied documents
-- parameters: k = 10, rel, judged_only, ties in {worst, best} = best
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(num_subtopics) as num_rel_ret
    from extreme_subtopic_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    where rank <= coalesce($k, rank)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        cast(found.num_rel_ret as double)
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
