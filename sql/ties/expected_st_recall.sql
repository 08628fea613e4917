-- title: StRecall expected over all orders of tied documents
-- definition: A subtopic is missed where all its relevant documents in the first tie that holds any stand beyond the
--    cutoff.
-- parameters: k, rel
-- columns: qrels, run, topic, value
--   num_found       subtopics expected to be found
--   num_subtopics   subtopics of the topic
with first_ties as (
    select
        evaluation_id,
        subtopic,
        num_rel,
        last_rank - first_rank + 1 as size,
        greatest(last_rank - coalesce($k, last_rank), 0) as num_beyond
    from subtopic_ties(rel := $rel)
    where
        rel_above = 0
        and first_rank <= coalesce($k, first_rank)
),
missed as (
    select
        first_ties.evaluation_id as evaluation_id,
        first_ties.subtopic as subtopic,
        exp(
            sum(
                ln(
                    cast(first_ties.num_beyond + 1 - ranks_to_longest.rank as double)
                        / (first_ties.size + 1 - ranks_to_longest.rank)
                )
            )
        ) as probability
    from first_ties
    join ranks_to_longest on ranks_to_longest.rank <= first_ties.num_rel
    where first_ties.num_rel <= first_ties.num_beyond
    group by first_ties.evaluation_id, first_ties.subtopic
),
found as (
    select
        first_ties.evaluation_id as evaluation_id,
        sum(1 - coalesce(missed.probability, 0)) as num_found
    from first_ties
    left join missed
        on missed.evaluation_id = first_ties.evaluation_id
        and missed.subtopic = first_ties.subtopic
    group by first_ties.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.num_found / subtopic_counts.num_subtopics, 0) as value,
    coalesce(found.num_found, 0) as num_found,
    coalesce(subtopic_counts.num_subtopics, 0) as num_subtopics
from evaluated_topics
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
