-- measure: AP_IA
-- title: Intent-aware average precision
-- aliases: MAP_IA, AP-IA, MAP-IA
-- parameters: rel, judged_only, ties
-- definition: Average precision by the judgments of each subtopic, and the mean over subtopics. Subtopics are
--    the iterations of the topic's judgments in which a document is relevant; 0 where there are none.
-- reference: Agrawal, Gollapudi, Halverson and Ieong 2009, Diversifying search results,
--    doi:10.1145/1498759.1498766
-- differs: Equal to ndeval's MAP-IA. pyndeval puts tied documents in ascending order of their names;
--    ir_measures 0.4.3 fails with judged_only. AP_groups counts groups without a relevant document too.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: diversity AP_IA = 0.5551
with tied as (
    select
        evaluation_id,
        subtopic,
        first_rank,
        last_rank,
        count(*) as num_rel,
        min(nth) - 1 as rel_above
    from subtopic_ranks(rel := $rel, judged_only := $judged_only)
    where $ties = 'expected'
    group by evaluation_id, subtopic, first_rank, last_rank
),
found_places as (
    select
        evaluation_id,
        subtopic,
        cast(nth as double) / rank as precision
    from subtopic_ranks(rel := $rel, judged_only := $judged_only)
    where $ties = 'rule'
    union all
    select
        evaluation_id,
        subtopic,
        cast(rel_above + 1 as double) / first_rank as precision
    from tied
    where first_rank = last_rank
    union all
    -- Beside one of num_rel relevant documents the others are spread evenly over the remaining places.
    select
        tied.evaluation_id,
        tied.subtopic,
        cast(tied.num_rel as double)
            / (tied.last_rank - tied.first_rank + 1)
            * (
                tied.rel_above
                + 1
                + cast(ranks_to_longest.rank - tied.first_rank as double)
                * (tied.num_rel - 1)
                / (tied.last_rank - tied.first_rank)
            )
            / ranks_to_longest.rank as precision
    from tied
    join ranks_to_longest on ranks_to_longest.rank between tied.first_rank and tied.last_rank
    where tied.first_rank < tied.last_rank
),
precisions as (
    select
        evaluation_id,
        subtopic,
        sum(precision) as total
    from found_places
    group by evaluation_id, subtopic
),
averages as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        avg(coalesce(precisions.total, 0) / group_relevant_counts.num_rel) as value
    from evaluated_topics
    join group_relevant_counts(rel := $rel) as group_relevant_counts
        on group_relevant_counts.qrels_id = evaluated_topics.qrels_id
        and group_relevant_counts.topic_id = evaluated_topics.topic_id
    left join precisions
        on precisions.evaluation_id = evaluated_topics.evaluation_id
        and precisions.subtopic = group_relevant_counts.judgment_group
    where group_relevant_counts.num_rel > 0
    group by evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
