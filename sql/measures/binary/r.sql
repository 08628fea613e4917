-- measure: R
-- title: Recall
-- aliases: SetR(k=null), Sensitivity, TPR
-- trec_eval: recall.k = 5,10,15,20,30,100,200,500,1000
-- trec_eval: set_recall(k=null)
-- parameters: k, rel, judged_only, ties
-- definition: Relevant documents among the first k, divided by the number of relevant documents; 0 if
--    there are none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.3
-- differs: Without a cutoff this is trec_eval's set_recall and ir_measures' SetR.
-- range: 0 1
-- mean: arithmetic
-- holes: r_bounds
-- scores: @100
-- example: single-value-1 R@3 = 0.2
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
    coalesce(found.num_rel_ret / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join found using (evaluation_id, last_rank)
