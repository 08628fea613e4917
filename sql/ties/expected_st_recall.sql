-- title: StRecall expected over all orders of tied documents
-- definition: A subtopic is missed where all its relevant documents in the first tie that holds any stand beyond the
--    cutoff.
-- parameters: k, rel
-- columns: qrels, run, topic, value
--   k               rank cutoff; null is the whole ranking
--   num_found       subtopics expected to be found
--   num_subtopics   subtopics of the topic
with first_ties as (
    select
        subtopic_ties.evaluation_id,
        subtopic_ties.subtopic,
        cutoffs.last_rank,
        subtopic_ties.num_rel,
        subtopic_ties.last_rank - subtopic_ties.first_rank + 1 as size,
        greatest(subtopic_ties.last_rank - cutoffs.last_rank, 0) as num_beyond
    from subtopic_ties(rel := $rel) as subtopic_ties
    join cutoffs(k := $k) as cutoffs on subtopic_ties.first_rank <= cutoffs.last_rank
    where subtopic_ties.rel_above = 0
),
missed as (
    select
        first_ties.evaluation_id as evaluation_id,
        first_ties.subtopic as subtopic,
        first_ties.last_rank as last_rank,
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
    group by first_ties.evaluation_id, first_ties.subtopic, first_ties.last_rank
),
found as (
    select
        first_ties.evaluation_id as evaluation_id,
        first_ties.last_rank as last_rank,
        sum(1 - coalesce(missed.probability, 0)) as num_found
    from first_ties
    left join missed using (evaluation_id, subtopic, last_rank)
    group by first_ties.evaluation_id, first_ties.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(found.num_found / subtopic_counts.num_subtopics, 0) as value,
    coalesce(found.num_found, 0) as num_found,
    coalesce(subtopic_counts.num_subtopics, 0) as num_subtopics
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join subtopic_counts(rel := $rel) as subtopic_counts using (qrels_id, topic_id)
left join found using (evaluation_id, last_rank)
