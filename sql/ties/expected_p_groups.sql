-- title: P_groups expected over all orders of tied documents
-- definition: Of a tie's relevant documents the part is found that its ranks among the first k are of all its ranks.
-- parameters: k, rel, judged_only
--   k integer in [1, inf) = 10    rank cutoff
--   judged_only boolean = false   whether ranks count only documents to which the group gave a grade of 0 or more
-- columns: qrels, run, topic, value
with found as (
    select
        evaluation_id,
        sum(
            cast(num_rel as double)
                * (least(last_rank, $k) - first_rank + 1)
                / (last_rank - first_rank + 1)
        ) as num_rel_ret
    from group_ties(rel := $rel, judged_only := $judged_only)
    where first_rank <= $k
    group by evaluation_id
),
group_counts as (
    select
        qrels_id,
        topic_id,
        count(*) as num_groups
    from group_relevant_counts(rel := $rel)
    group by qrels_id, topic_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(found.num_rel_ret / $k / group_counts.num_groups, 0) as value
from evaluated_topics
left join group_counts
    on group_counts.qrels_id = evaluated_topics.qrels_id
    and group_counts.topic_id = evaluated_topics.topic_id
left join found on found.evaluation_id = evaluated_topics.evaluation_id
