-- title: The ROC curve of each run, the documents of all topics pooled by score, by its corners
-- parameters: rel, nonrelevant, collection
-- columns: qrels
--   run               run, if there are documents that are relevant and documents that are not
--   threshold         score down to which documents are taken; null where the curve begins and where it ends beyond
--                     the rankings
--   false_positives   documents not relevant among them
--   true_positives    relevant documents among them
--   fpr               false positive rate
--   tpr               true positive rate, which is recall
with both_kinds as (
    select
        qrels,
        run,
        num_rel,
        num_nonrel,
        rel_ret,
        nonrel_ret
    from pooled_totals(rel := $rel, nonrelevant := $nonrelevant, collection := $collection)
    where
        num_rel > 0
        and num_nonrel > 0
),
followed as (
    -- Of the documents between two relevant ones, only the last is a corner.
    select
        qrels,
        run,
        threshold,
        num_rel,
        nonrel_above + num_nonrel as false_positives,
        rel_above + num_rel as true_positives,
        lead(num_rel) over (partition by qrels, run order by comparison_score desc) as num_rel_next
    from pooled_groups(rel := $rel, nonrelevant := $nonrelevant)
    where num_rel + num_nonrel > 0
),
corners as (
    select
        qrels,
        run,
        threshold,
        false_positives,
        true_positives
    from followed
    where
        num_rel > 0
        or num_rel_next > 0
        or num_rel_next is null
    union all
    select
        qrels,
        run,
        null as threshold,
        0 as false_positives,
        0 as true_positives
    from both_kinds
    union all
    select
        qrels,
        run,
        null as threshold,
        num_nonrel as false_positives,
        num_rel as true_positives
    from both_kinds
    where
        rel_ret < num_rel
        or nonrel_ret < num_nonrel
)
select
    both_kinds.qrels,
    both_kinds.run,
    corners.threshold,
    corners.false_positives,
    corners.true_positives,
    corners.false_positives / both_kinds.num_nonrel as fpr,
    corners.true_positives / both_kinds.num_rel as tpr
from both_kinds
join corners using (qrels, run)
