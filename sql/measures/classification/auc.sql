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
-- holes: none, it compares relevant documents with others, and a hole may count on either side
-- scores: no
-- example: roc AUC = 0.2375
-- example: roc AUC(nonrelevant='judged') = 0.3906
-- example: roc AUC(collection=24) = 0.5047
with rank_sums as (
    -- Tied documents all have the mean of their ranks.
    select
        evaluation_id,
        sum(cast(first_rank + last_rank as double) / 2) as total
    from tied_documents(judged_only := ($nonrelevant = 'judged'))
    where grade >= $rel
    group by evaluation_id
),
ordered_pairs as (
    -- Pairs of a relevant document and one not relevant below it; a tied one is a half. The relevant documents alone
    -- would have the ranks 1 to rel_ret. What their ranks add up to beyond that are documents not relevant above them.
    select
        class_counts.evaluation_id,
        class_counts.num_rel,
        class_counts.num_nonrel,
        class_counts.rel_ret,
        cast(class_counts.rel_ret as double) * class_counts.num_nonrel
            - (coalesce(rank_sums.total, 0) - cast(class_counts.rel_ret as double) * (class_counts.rel_ret + 1) / 2)
            + cast(class_counts.num_rel - class_counts.rel_ret as double)
            * (class_counts.num_nonrel - class_counts.nonrel_ret) / 2 as total
    from class_counts(rel := $rel, nonrelevant := $nonrelevant, collection := $collection) as class_counts
    left join rank_sums using (evaluation_id)
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when ordered_pairs.num_rel = 0 then cast(0 as double)
        when ordered_pairs.num_nonrel = 0 then ordered_pairs.rel_ret / ordered_pairs.num_rel
        else ordered_pairs.total / (cast(ordered_pairs.num_rel as double) * ordered_pairs.num_nonrel)
    end as value
from evaluated_topics
join ordered_pairs using (evaluation_id)
