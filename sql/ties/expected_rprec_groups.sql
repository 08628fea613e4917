-- title: Rprec_groups expected over all orders of tied documents
-- definition: Of a tie's relevant documents the part is found that its ranks down to the cutoff are of all its ranks.
-- parameters: multiple, rel, judged_only
--   multiple double in (0, inf) = 1.0   cutoff as a multiple of the number of relevant documents
--   judged_only boolean = false         whether ranks count only documents to which the group gave a grade of 0 or
--                                       more
-- columns: qrels, run, topic, value
with cutoffs as (
    select
        qrels_id,
        topic_id,
        judgment_group,
        floor($multiple * num_rel + cast(0.9 as double)) as cutoff
    from group_relevant_counts(rel := $rel)
),
found as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        cutoffs.judgment_group as judgment_group,
        cutoffs.cutoff as cutoff,
        sum(
            cast(group_ties.num_rel as double)
                * (least(group_ties.last_rank, cutoffs.cutoff) - group_ties.first_rank + 1)
                / (group_ties.last_rank - group_ties.first_rank + 1)
        ) as num_rel_ret
    from evaluated_topics
    join cutoffs
        on cutoffs.qrels_id = evaluated_topics.qrels_id
        and cutoffs.topic_id = evaluated_topics.topic_id
    left join group_ties(rel := $rel, judged_only := $judged_only) as group_ties
        on group_ties.evaluation_id = evaluated_topics.evaluation_id
        and group_ties.judgment_group = cutoffs.judgment_group
        and group_ties.first_rank <= cutoffs.cutoff
    group by evaluated_topics.evaluation_id, cutoffs.judgment_group, cutoffs.cutoff
),
averages as (
    select
        evaluation_id,
        avg(coalesce(num_rel_ret / nullif(cast(cutoff as double), 0), 0)) as value
    from found
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
