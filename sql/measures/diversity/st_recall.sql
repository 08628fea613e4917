-- measure: StRecall
-- title: Subtopic recall
-- aliases: strec, S-recall, I-rec
-- parameters: k, rel, ties
-- columns:
--   num_found       subtopics to which one of the first k documents is relevant
--   num_subtopics   subtopics of the topic
-- definition: Subtopics to which a document among the first k is relevant, divided by the number of subtopics.
--    Subtopics are the iterations of the topic's judgments in which a document is relevant; 0 where there are
--    none.
-- reference: Zhai, Cohen and Lafferty 2003, Beyond independent relevance, doi:10.1145/860435.860440
-- differs: Equal to ndeval, which stops at 20 documents. pyndeval puts tied documents in ascending order of
--    their names.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: diversity StRecall@1 = 0.4167
with first_found as (
    select
        evaluation_id,
        subtopic,
        rank,
        first_rank,
        last_rank
    from subtopic_ranks(rel := $rel)
    where nth = 1
),
missing as (
    -- For each relevant document of a tie that holds the subtopic's first: of those places of the tie that the ones
    -- before it leave, how many there are, and how many of them are beyond the cutoff.
    select
        first_found.evaluation_id as evaluation_id,
        first_found.subtopic as subtopic,
        first_found.last_rank - first_found.first_rank + 2 - subtopic_ranks.nth as num_left,
        greatest(first_found.last_rank - coalesce($k, first_found.last_rank), 0) + 1 - subtopic_ranks.nth as num_beyond
    from first_found
    join subtopic_ranks(rel := $rel) as subtopic_ranks
        on subtopic_ranks.evaluation_id = first_found.evaluation_id
        and subtopic_ranks.subtopic = first_found.subtopic
        and subtopic_ranks.first_rank = first_found.first_rank
    where
        $ties = 'expected'
        and first_found.first_rank <= coalesce($k, first_found.first_rank)
),
chances as (
    select
        evaluation_id,
        subtopic,
        cast(1 as double) as chance
    from first_found
    where
        $ties = 'rule'
        and rank <= coalesce($k, rank)
    union all
    select
        evaluation_id,
        subtopic,
        case
            when min(num_beyond) <= 0 then 1
            else 1 - exp(sum(case when num_beyond > 0 then ln(cast(num_beyond as double) / num_left) end))
        end as chance
    from missing
    group by evaluation_id, subtopic
),
found_places as (
    select
        evaluation_id,
        sum(chance) as num_found
    from chances
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found_places.num_found / subtopic_counts.num_subtopics, 0) as value,
    coalesce(found_places.num_found, 0) as num_found,
    coalesce(subtopic_counts.num_subtopics, 0) as num_subtopics
from evaluated_topics
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
left join found_places on found_places.evaluation_id = evaluated_topics.evaluation_id
