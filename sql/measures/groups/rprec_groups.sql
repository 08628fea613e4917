-- measure: Rprec_groups
-- title: Precision at a multiple of the number of relevant documents, averaged over judgment groups
-- trec_eval: Rprec_mult_avgjg.multiple = 0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0
-- at: multiple
-- ties: worst, best = extreme_rprec_groups
-- parameters: multiple, rel, judged_only, ties
--   multiple double in [0, inf) = 1.0   cutoff as a multiple of the number of relevant documents
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
-- holes: none, holes would have to be judged by each group
-- scores: no
-- example: groups Rprec_groups = 0.1667
-- example: groups Rprec_groups@2.0 = 0.125
with multiples as (
    select cast(value as double) as multiple
    from given_values(given := $multiple)
),
depths as (
    select
        group_counts.qrels_id,
        group_counts.topic_id,
        group_counts.judgment_group,
        multiples.multiple,
        floor(multiples.multiple * group_counts.num_rel + cast(0.9 as double)) as depth
    from group_relevant_counts(rel := $rel) as group_counts
    cross join multiples
),
found as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        depths.judgment_group as judgment_group,
        depths.multiple,
        depths.depth as depth,
        sum(group_ranks.share) as num_rel_ret
    from evaluated_topics
    join depths using (qrels_id, topic_id)
    left join group_ranks(rel := $rel, judged_only := $judged_only, ties := $ties) as group_ranks
        on group_ranks.evaluation_id = evaluated_topics.evaluation_id
        and group_ranks.judgment_group = depths.judgment_group
        and group_ranks.rank <= depths.depth
    group by evaluated_topics.evaluation_id, depths.judgment_group, depths.multiple, depths.depth
),
averages as (
    select
        found.evaluation_id,
        found.multiple,
        avg(coalesce(found.num_rel_ret / nullif(cast(found.depth as double), 0), 0)) as value
    from found
    group by found.evaluation_id, found.multiple
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    multiples.multiple,
    coalesce(averages.value, 0) as value
from evaluated_topics
cross join multiples
left join averages using (evaluation_id, multiple)
