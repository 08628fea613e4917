-- measure: P_IA
-- title: Intent-aware precision at a cutoff
-- aliases: P-IA
-- parameters: k = 10, rel, judged_only, ties
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- definition: Precision at k by the judgments of each subtopic, and the mean over subtopics. A ranking shorter
--    than k is still divided by k. Subtopics are the iterations of the topic's judgments in which a document is
--    relevant; 0 where there are none.
-- reference: Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying search results,
--    doi:10.1145/1498759.1498766
-- differs: Equal to ndeval, which stops at 20 documents. Without a cutoff this divides by the number retrieved,
--    as P; ir_measures demands a cutoff. pyndeval puts tied documents in ascending order of their names;
--    ir_measures 0.4.3 fails with judged_only. P_groups counts groups without a relevant document too.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: diversity P_IA@2 = 0.3333
with found as (
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        count(*) as subtopics
    from subtopic_ranks(rel := $rel, judged_only := $judged_only)
    group by evaluation_id, rank, first_rank, last_rank
),
ordered as (
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        subtopics,
        row_number() over (
            partition by evaluation_id, first_rank
            order by subtopics desc
        ) as nth_of_tied
    from found
),
placed as (
    -- Of tied documents what is expected is spread over all their places.
    select
        evaluation_id,
        subtopics,
        case
            when $ties = 'worst' then last_rank - nth_of_tied + 1
            when $ties = 'best' then first_rank + nth_of_tied - 1
            when $ties = 'expected' then first_rank
            else rank
        end as first_place,
        case
            when $ties = 'worst' then last_rank - nth_of_tied + 1
            when $ties = 'best' then first_rank + nth_of_tied - 1
            when $ties = 'expected' then last_rank
            else rank
        end as last_place
    from ordered
),
found_places as (
    select
        evaluation_id,
        sum(
            cast(subtopics as double)
                * (least(coalesce($k, last_place), last_place) - first_place + 1)
                / (last_place - first_place + 1)
        ) as total
    from placed
    where first_place <= coalesce($k, first_place)
    group by evaluation_id
),
lengths as (
    select
        evaluation_id,
        max(rank) as num_judged
    from judged_places(judged_only := true)
    where
        $judged_only
        and $k is null
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(
        found_places.total
            / coalesce($k, lengths.num_judged, evaluated_topics.num_ret)
            / subtopic_counts.num_subtopics,
        0
    ) as value
from evaluated_topics
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
left join lengths on lengths.evaluation_id = evaluated_topics.evaluation_id
left join found_places on found_places.evaluation_id = evaluated_topics.evaluation_id
