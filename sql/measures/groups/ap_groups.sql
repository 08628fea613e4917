-- measure: AP_groups
-- title: Average precision, averaged over judgment groups
-- trec_eval: map_avgjg
-- ties: worst, best = extreme_ap_groups
-- parameters: rel, judged_only, ties
--   judged_only boolean = false     whether the documents a group has not judged are left out of its ranking
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders;
--                                     worst and best are not known (null) where a tie
--                                     has more than 1000 sets of documents by the groups'
--                                     judgments, or a topic more than 33 groups
-- definition: Average precision by the judgments of each group, those with one iteration, and the mean over
--    the topic's groups; a group without relevant documents has 0, as has a topic without groups.
-- reference: trec_eval 10.0, measure map_avgjg
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- holes: none, holes would have to be judged by each group
-- scores: no
-- example: groups AP_groups = 0.1667
with precisions as (
    select
        evaluation_id,
        judgment_group,
        sum(share * relevant_rank / rank) as total
    from group_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    group by evaluation_id, judgment_group
),
averages as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        avg(coalesce(precisions.total / nullif(group_relevant_counts.num_rel, 0), 0)) as value
    from evaluated_topics
    join group_relevant_counts(rel := $rel) as group_relevant_counts using (qrels_id, topic_id)
    left join precisions using (evaluation_id, judgment_group)
    group by evaluated_topics.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages using (evaluation_id)
