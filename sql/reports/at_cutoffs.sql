-- title: The usual measures at several cutoffs in one pass over the rankings
-- parameters: k, rel
--   k integer? in [1, inf) = 10   rank cutoff, or a list of them; null is the whole ranking
-- columns: qrels, run, topic
--   k             rank cutoff
--   num_rel       relevant documents of the topic
--   num_rel_ret   relevant documents retrieved down to the cutoff
--   success       1 if one is retrieved, else 0
--   p             precision
--   relative_p    precision as a share of the best that is possible at the cutoff
--   r             recall
--   ap            average precision
--   ndcg          normalised discounted cumulative gain
-- definition: Each rank belongs to the first cutoff that reaches it. What the documents between two cutoffs add is
--    summed once, and the sums are cumulated from cutoff to cutoff. The ideal ranking is summed for each by itself.
with last_ranks as (
    select
        ranks.rank,
        min(cutoffs.last_rank) as last_rank
    from ranks_to_longest as ranks
    join cutoffs(k := $k) as cutoffs on ranks.rank <= cutoffs.last_rank
    group by ranks.rank
),
relevant_between as (
    select
        relevant.evaluation_id,
        last_ranks.last_rank,
        count(*) as num_rel_ret,
        fsum(relevant.relevant_rank / relevant.rank) as precisions
    from relevant_ranks(rel := $rel) as relevant
    join last_ranks using (rank)
    group by relevant.evaluation_id, last_ranks.last_rank
),
gained_between as (
    select
        gains.evaluation_id,
        last_ranks.last_rank,
        fsum(gains.gain / log2(gains.rank + 1)) as dcg
    from gains_by_rank() as gains
    join last_ranks using (rank)
    group by gains.evaluation_id, last_ranks.last_rank
),
ideal_dcgs as (
    select
        ideal_gains.qrels_id,
        ideal_gains.topic_id,
        cutoffs.last_rank,
        fsum(ideal_gains.gain / log2(ideal_gains.rank + 1)) as total
    from ideal_gains() as ideal_gains
    join cutoffs(k := $k) as cutoffs on ideal_gains.rank <= cutoffs.last_rank
    group by ideal_gains.qrels_id, ideal_gains.topic_id, cutoffs.last_rank
),
cumulated as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        topic_counts.num_rel,
        coalesce(cutoffs.k, evaluated_topics.num_ret) as depth,
        coalesce(sum(relevant_between.num_rel_ret) over up_to_cutoff, 0) as num_rel_ret,
        coalesce(sum(relevant_between.precisions) over up_to_cutoff, 0) as precisions,
        coalesce(sum(gained_between.dcg) over up_to_cutoff, 0) as dcg,
        ideal_dcgs.total as idcg
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
    left join relevant_between using (evaluation_id, last_rank)
    left join gained_between using (evaluation_id, last_rank)
    left join ideal_dcgs using (qrels_id, topic_id, last_rank)
    window up_to_cutoff as (partition by evaluated_topics.evaluation_id order by cutoffs.last_rank)
)
select
    qrels,
    run,
    topic,
    cumulated.k,
    num_rel,
    num_rel_ret,
    cast(num_rel_ret > 0 as integer) as success,
    coalesce(num_rel_ret / nullif(depth, 0), 0) as p,
    coalesce(num_rel_ret / nullif(least(depth, num_rel), 0), 0) as relative_p,
    coalesce(num_rel_ret / nullif(num_rel, 0), 0) as r,
    coalesce(precisions / nullif(num_rel, 0), 0) as ap,
    coalesce(dcg / nullif(idcg, 0), 0) as ndcg
from cumulated
