-- title: P_IA expected over all orders of tied documents
-- definition: A relevant document counts, for each of its subtopics, by the part of its tie's ranks that are among the
--    first k.
-- parameters: k = 10, rel, judged_only
-- columns: qrels, run, topic, value
with subtopic_documents as (
    select
        tied_documents.evaluation_id,
        tied_documents.first_rank,
        tied_documents.last_rank
    from tied_documents(judged_only := $judged_only) as tied_documents
    join asked_evaluations() as evaluations on evaluations.evaluation_id = tied_documents.evaluation_id
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = tied_documents.document_id
    where
        tied_documents.grade >= $rel
        and least(tied_documents.grade, assessments.grade) >= $rel
),
found as (
    -- Each of the tied documents stands at each of their ranks equally often.
    select
        evaluation_id,
        sum(
            cast(least(coalesce($k, last_rank), last_rank) - first_rank + 1 as double)
                / (last_rank - first_rank + 1)
        ) as num_rel_ret
    from subtopic_documents
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
