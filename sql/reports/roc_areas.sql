-- title: Areas under the ROC curves of each run: documents of all topics pooled by score, and the mean of the topics
-- parameters: n, rel, nonrelevant, collection
--   n integer in [1, inf) = 50      false positives at which the truncated curve ends, pooled or in each topic
-- columns: qrels, run
--   auc_pooled     area under the pooled curve; 0 without relevant documents, recall without others
--   auc_mean       mean of AUC over the topics
--   roc_n_pooled   area under the pooled curve up to n false positives in all (Schaeffer and others 2001,
--                  doi:10.1093/nar/29.14.2994); where documents of equal score stand across the n-th, what is
--                  expected over their orders
--   roc_n_mean     mean of ROC@n over the topics, ties in the tie rule's order
with totals as (
    select *
    from pooled_totals(rel := $rel, nonrelevant := $nonrelevant, collection := $collection)
),
pooled as (
    -- Of num_nonrel tied documents 0 to all stand above, with the same chance; num_seen of these cases gain.
    select
        pooled_groups.qrels,
        pooled_groups.run,
        cast(pooled_groups.num_rel as double)
            * (totals.num_nonrel - pooled_groups.nonrel_above - pooled_groups.num_nonrel / 2) as pairs,
        cast(pooled_groups.num_rel as double) as weight,
        pooled_groups.num_nonrel,
        $n - pooled_groups.nonrel_above as num_left,
        greatest(least($n - pooled_groups.nonrel_above, pooled_groups.num_nonrel + 1), 0) as num_seen
    from pooled_groups(rel := $rel, nonrelevant := $nonrelevant) as pooled_groups
    join totals using (qrels, run)
    where pooled_groups.num_rel > 0
),
pooled_sums as (
    select
        qrels,
        run,
        sum(pairs) as pairs,
        sum(weight * num_seen * (num_left - (num_seen - 1) / 2) / (num_nonrel + 1)) as gain
    from pooled
    group by qrels, run
),
auc_means as (
    select
        qrels,
        run,
        sum(value) / count(*) as mean
    from auc(rel := $rel, nonrelevant := $nonrelevant, collection := $collection)
    group by qrels, run
),
roc_means as (
    select
        qrels,
        run,
        sum(value) / count(*) as mean
    from roc(n := $n, rel := $rel, nonrelevant := $nonrelevant)
    group by qrels, run
)
select
    totals.qrels,
    totals.run,
    case
        when totals.num_rel = 0 then cast(0 as double)
        when totals.num_nonrel = 0 then totals.rel_ret / totals.num_rel
        else (
            coalesce(pooled_sums.pairs, 0)
                + cast(totals.num_rel - totals.rel_ret as double) * (totals.num_nonrel - totals.nonrel_ret) / 2
        ) / (cast(totals.num_rel as double) * totals.num_nonrel)
    end as auc_pooled,
    auc_means.mean as auc_mean,
    coalesce(pooled_sums.gain / $n / nullif(totals.num_rel, 0), 0) as roc_n_pooled,
    roc_means.mean as roc_n_mean
from totals
left join pooled_sums using (qrels, run)
join auc_means using (qrels, run)
join roc_means using (qrels, run)
