-- measure: P_groups
-- title: Precision at a cutoff, averaged over judgment groups
-- trec_eval: P_avgjg.k = 5,10,15,20,30,100,200,500,1000
-- parameters:
--   k integer in [1, inf) = 10      rank cutoff
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether the documents a group has not judged are left out of its ranking
-- definition: By the judgments of each group, those with one iteration, the relevant documents among the
--    first k, divided by k, and the mean over the topic's groups; 0 for a topic without groups.
-- reference: trec_eval 10.0, measure P_avgjg
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: groups P_groups@2 = 0.1667
with found as (
    select
        evaluation_id,
        count(*) as num_rel_ret
    from group_ranks(judged_only := $judged_only)
    where rank <= $k and grade >= $rel
    group by evaluation_id
),
group_counts as (
    select
        qrels_id,
        topic_id,
        count(*) as num_groups
    from group_facts(rel := $rel)
    group by qrels_id, topic_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(cast(found.num_rel_ret as double) / $k / group_counts.num_groups, 0) as value
from evaluated
left join group_counts
    on group_counts.qrels_id = evaluated.qrels_id
    and group_counts.topic_id = evaluated.topic_id
left join found on found.evaluation_id = evaluated.evaluation_id
