-- measure: P_groups
-- title: Precision at a cutoff, averaged over judgment groups
-- trec_eval: P_avgjg.k = 5,10,15,20,30,100,200,500,1000
-- ties: worst, best = extreme_p_groups
-- parameters: k, rel, judged_only, ties
--   k integer in [1, inf) = 10      rank cutoff
--   judged_only boolean = false     whether the documents a group has not judged are left out of its ranking
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders;
--                                     worst and best are not known (null) where of judged_only a tie
--                                     has more than 1000 sets of documents by the groups'
--                                     judgments, or a topic more than 33 groups
-- definition: By the judgments of each group, those with one iteration, the relevant documents among the
--    first k, divided by k, and the mean over the topic's groups; 0 for a topic without groups.
-- reference: trec_eval 10.0, measure P_avgjg
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- holes: none, holes would have to be judged by each group
-- scores: no
-- example: groups P_groups@2 = 0.1667
with found as (
    select
        evaluation_id,
        judgment_group,
        cutoffs.last_rank,
        sum(share) as num_rel_ret
    from group_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, judgment_group, cutoffs.last_rank
),
numbered as (
    select
        evaluation_id,
        last_rank,
        num_rel_ret / last_rank as precision,
        row_number() over (
            partition by evaluation_id, last_rank
            order by judgment_group
        ) as group_number
    from found
),
precisions as (
    -- Added up in the order of the groups' names, as trec_eval does, which shows in the last digit.
    select
        evaluation_id,
        last_rank,
        sum(precision) as total
    from numbered
    where group_number > 0
    group by evaluation_id, last_rank
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
    cutoffs.k,
    coalesce(precisions.total / group_counts.num_groups, 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join group_counts using (qrels_id, topic_id)
left join precisions using (evaluation_id, last_rank)
