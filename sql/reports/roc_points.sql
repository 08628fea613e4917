-- title: The ROC curve of each run by a limited number of its corners
-- parameters: points, rel
--   points integer in [1, inf) = 100   stretches into which both rates are divided
-- columns: qrels, run
--   threshold   score down to which documents are taken; null where the curve begins and where it ends beyond the
--               rankings
--   fpr         false positive rate
--   tpr         true positive rate, which is recall
with corners as (
    select
        qrels,
        run,
        threshold,
        fpr,
        tpr,
        ceil(fpr * $points) as across,
        ceil(tpr * $points) as up
    from roc_curve_pooled(rel := $rel)
)
-- The last corner in each stretch of both rates, so that no other is further away than a stretch is wide.
select
    qrels,
    run,
    arg_max_null(threshold, fpr + tpr) as threshold,
    max(fpr) as fpr,
    max(tpr) as tpr
from corners
group by qrels, run, across, up
