-- title: AP_groups expected over all orders of tied documents
-- parameters: rel, judged_only
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: qrels, run, topic, value
with precisions as (
    -- Beside one of num_rel relevant documents the others are spread evenly over the remaining ranks of the tie.
    select
        group_ties.evaluation_id as evaluation_id,
        group_ties.judgment_group as judgment_group,
        sum(
            cast(group_ties.num_rel as double)
                / (group_ties.last_rank - group_ties.first_rank + 1)
                * (
                    group_ties.rel_above
                    + 1
                    + coalesce(
                        cast(ranks_to_longest.rank - group_ties.first_rank as double)
                            * (group_ties.num_rel - 1)
                            / nullif(group_ties.last_rank - group_ties.first_rank, 0),
                        0
                    )
                )
                / ranks_to_longest.rank
        ) as total
    from group_ties(rel := $rel, judged_only := $judged_only) as group_ties
    join ranks_to_longest on ranks_to_longest.rank between group_ties.first_rank and group_ties.last_rank
    group by group_ties.evaluation_id, group_ties.judgment_group
),
averages as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        avg(coalesce(precisions.total / nullif(group_relevant_counts.num_rel, 0), 0)) as value
    from evaluated_topics
    join group_relevant_counts(rel := $rel) as group_relevant_counts
        on group_relevant_counts.qrels_id = evaluated_topics.qrels_id
        and group_relevant_counts.topic_id = evaluated_topics.topic_id
    left join precisions
        on precisions.evaluation_id = evaluated_topics.evaluation_id
        and precisions.judgment_group = group_relevant_counts.judgment_group
    group by evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
