-- measure: Rprec_groups
-- title: Precision at a multiple of the number of relevant documents, averaged over judgment groups
-- trec_eval: Rprec_mult_avgjg.multiple = 0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0
-- at: multiple
-- ties: worst, best = extreme_rprec_groups
-- parameters: multiple, rel, judged_only, ties
--   multiple double in (0, inf) = 1.0   cutoff as a multiple of the number of relevant documents
--   judged_only boolean = false         whether the documents a group has not judged are left out of its
--                                       ranking
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                       the worst, the best or what is expected over all orders;
--                                       worst and best are not known (null) where a tie
--                                       has more than 1000 sets of documents by the groups'
--                                       judgments, or a topic more than 33 groups
-- definition: By the judgments of each group, those with one iteration, precision at the cutoff
--    floor(multiple R + 0.9), R being the group's relevant documents, and the mean over the topic's groups; a
--    group without relevant documents has 0, as has a cutoff of 0 and a topic without groups.
-- reference: trec_eval 10.0, measure Rprec_mult_avgjg
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: groups Rprec_groups = 0.1667
-- example: groups Rprec_groups@2.0 = 0.125
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
        sum(group_ranks.share) as num_rel_ret
    from evaluated_topics
    join cutoffs
        on cutoffs.qrels_id = evaluated_topics.qrels_id
        and cutoffs.topic_id = evaluated_topics.topic_id
    left join group_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as group_ranks
        on group_ranks.evaluation_id = evaluated_topics.evaluation_id
        and group_ranks.judgment_group = cutoffs.judgment_group
        and group_ranks.rank <= cutoffs.cutoff
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
