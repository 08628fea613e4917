-- measure: P
-- title: Precision at a cutoff
-- aliases: precision, P10(k=10), P20(k=20), SetP(k=null), SetRelP(k=null, relative=true)
-- trec_eval: P.k = 5,10,15,20,30,100,200,500,1000
-- trec_eval: set_P(k=null)
-- trec_eval: relative_P.k(relative=true) = 5,10,15,20,30,100,200,500,1000
-- trec_eval: set_relative_P(k=null, relative=true)
-- parameters: k = 10, rel, relative, judged_only, ties
--   relative boolean = false        divide by what could have been found at most: by R, the number of
--                                   relevant documents, where that is less
-- definition: Relevant documents among the first k, divided by k, or if relative by the lesser of k and R; 0 if
--    that is 0. A ranking shorter than k is still divided by k.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: Without a cutoff this divides by the number retrieved, as trec_eval's set_P; ir_measures
--    demands a cutoff.
-- range: 0 1
-- mean: arithmetic
-- holes: p_bounds, added up
-- example: single-value-1 P@3 = 0.67
-- example: single-value-1 P@10 = 0.4
with found as (
    select
        evaluation_id,
        cutoffs.last_rank,
        sum(share) as num_rel_ret
    from relevant_ranks(rel := $rel, judged_only := $judged_only, ties := $ties)
    join cutoffs(k := $k) as cutoffs on rank <= cutoffs.last_rank
    group by evaluation_id, cutoffs.last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(
        found.num_rel_ret
            / nullif(
                case
                    when $relative then least(coalesce(cutoffs.k, retrieved_counts.num_ret), topic_counts.num_rel)
                    else coalesce(cutoffs.k, retrieved_counts.num_ret)
                end,
                0
            ),
        0
    ) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join retrieved_counts(judged_only := $judged_only) as retrieved_counts using (evaluation_id)
left join found using (evaluation_id, last_rank)
