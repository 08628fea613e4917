-- measure: AUC
-- title: Area under the ROC curve
-- aliases: AUROC, ROC_AUC
-- parameters: rel, nonrelevant, collection
-- definition: The chance that a relevant document stands above one that is not relevant, a tie counting one half.
--    Relevant documents that are not retrieved stand below all retrieved, tied with those not relevant that are not
--    retrieved either, so that a topic the run leaves out has 1/2 where there are such and else 0. 0 if there are no
--    relevant documents; recall if there are none that are not relevant.
-- reference: Hanley and McNeil 1982, The meaning and use of the area under a ROC curve,
--    doi:10.1148/radiology.143.1.7063747
-- differs: Equal to scikit-learn's roc_auc_score, given a score below all others for what is not retrieved; without
--    either kind of document that has no value. The order of ties has no effect.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: roc AUC = 0.2375
-- example: roc AUC(nonrelevant='judged') = 0.3906
-- example: roc AUC(collection=24) = 0.5047
with ordered_pairs as (
    -- Pairs of a relevant document and one not relevant below it; a tied one is a half.
    select
        class_groups.evaluation_id as evaluation_id,
        sum(
            class_groups.num_rel
                * (class_totals.num_nonrel - class_groups.nonrel_above - cast(class_groups.num_nonrel as double) / 2)
        ) as total
    from class_groups(rel := $rel, nonrelevant := $nonrelevant) as class_groups
    join class_totals(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_totals
        on class_totals.evaluation_id = class_groups.evaluation_id
    group by class_groups.evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when class_totals.num_rel = 0 then cast(0 as double)
        when class_totals.num_nonrel = 0 then cast(class_totals.rel_ret as double) / class_totals.num_rel
        else (
            coalesce(ordered_pairs.total, 0)
                + cast(class_totals.num_rel - class_totals.rel_ret as double)
                * (class_totals.num_nonrel - class_totals.nonrel_ret) / 2
        ) / (cast(class_totals.num_rel as double) * class_totals.num_nonrel)
    end as value
from evaluated_topics
join class_totals(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_totals
    on class_totals.evaluation_id = evaluated_topics.evaluation_id
left join ordered_pairs on ordered_pairs.evaluation_id = evaluated_topics.evaluation_id
