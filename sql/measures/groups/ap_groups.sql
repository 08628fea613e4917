-- measure: AP_groups
-- title: Average precision, averaged over judgment groups
-- trec_eval: map_avgjg
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether the documents a group has not judged are left out of its ranking
-- definition: Average precision by the judgments of each group, those with one iteration, and the mean over
--    the topic's groups; a group without relevant documents has 0, as has a topic without groups.
-- reference: trec_eval 10.0, measure map_avgjg
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: groups AP_groups = 0.1667
with numbered as (
    select
        evaluation_id,
        judgment_group,
        rank,
        row_number() over (partition by evaluation_id, judgment_group order by rank) as nth
    from group_ranks(judged_only := $judged_only)
    where grade >= $rel
),
precisions as (
    select
        evaluation_id,
        judgment_group,
        sum(cast(nth as double) / rank) as total
    from numbered
    group by evaluation_id, judgment_group
),
averages as (
    select
        evaluated.evaluation_id as evaluation_id,
        avg(coalesce(precisions.total / nullif(group_facts.num_rel, 0), 0)) as value
    from evaluated
    join group_facts(rel := $rel) as group_facts
        on group_facts.qrels_id = evaluated.qrels_id
        and group_facts.topic_id = evaluated.topic_id
    left join precisions
        on precisions.evaluation_id = evaluated.evaluation_id
        and precisions.judgment_group = group_facts.judgment_group
    group by evaluated.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(averages.value, 0) as value
from evaluated
left join averages on averages.evaluation_id = evaluated.evaluation_id
