-- measure: PRES
-- title: Patent retrieval evaluation score
-- parameters: k, rel, ties in {rule, worst, best}
--   k integer in [1, inf) = 1000    documents that the reader is willing to look at
-- definition: 1 - (S / R - (R + 1) / 2) / k with the R relevant documents and the sum S of their ranks: those not
--    among the first k have k + R, k + R - 1, and so on. 0 if there are none.
-- reference: Magdy and Jones 2010, PRES: a score metric for evaluating recall-oriented information retrieval
--    applications, doi:10.1145/1835449.1835551
-- differs: None of trec_eval, ranx and ir_measures has it; PRESeval demands the number of documents.
-- range: 0 1
-- mean: arithmetic
-- holes: pres_bounds
-- scores: no
-- example: user-models PRES@5 = 0.6
-- example: user-models PRES@2 = 0.3333
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        count(*) as num_rel_ret,
        sum(rank) as rank_sum
    from relevant_ranks(rel := $rel, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
),
rank_sums as (
    -- The relevant documents not found have the ranks from k + num_rel_ret + 1 to k + num_rel.
    select
        found.evaluation_id,
        found.last_rank,
        topic_counts.num_rel,
        found.rank_sum
            + cast(topic_counts.num_rel - found.num_rel_ret as double) * found.last_rank
            + cast(topic_counts.num_rel as double) * (topic_counts.num_rel + 1) / 2
            - cast(found.num_rel_ret as double) * (found.num_rel_ret + 1) / 2 as total
    from found
    join asked_evaluations() as evaluations using (evaluation_id)
    join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(
        1 - (rank_sums.total / rank_sums.num_rel - cast(rank_sums.num_rel + 1 as double) / 2) / cutoffs.k,
        0
    ) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join rank_sums using (evaluation_id, last_rank)
