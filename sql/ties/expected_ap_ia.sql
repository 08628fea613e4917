-- title: AP_IA expected over all orders of tied documents
-- parameters: rel, judged_only
-- columns: qrels, run, topic, value
with precisions as (
    -- Beside one of num_rel relevant documents the others are spread evenly over the remaining ranks of the tie.
    select
        subtopic_ties.evaluation_id as evaluation_id,
        subtopic_ties.subtopic as subtopic,
        sum(
            cast(subtopic_ties.num_rel as double)
                / (subtopic_ties.last_rank - subtopic_ties.first_rank + 1)
                * (
                    subtopic_ties.rel_above
                    + 1
                    + coalesce(
                        cast(ranks_to_longest.rank - subtopic_ties.first_rank as double)
                            * (subtopic_ties.num_rel - 1)
                            / nullif(subtopic_ties.last_rank - subtopic_ties.first_rank, 0),
                        0
                    )
                )
                / ranks_to_longest.rank
        ) as total
    from subtopic_ties(rel := $rel, judged_only := $judged_only) as subtopic_ties
    join ranks_to_longest on ranks_to_longest.rank between subtopic_ties.first_rank and subtopic_ties.last_rank
    group by subtopic_ties.evaluation_id, subtopic_ties.subtopic
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
