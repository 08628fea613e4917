-- measure: R
-- title: Recall
-- aliases: SetR(k=null), Sensitivity, TPR
-- trec_eval: recall.k = 5,10,15,20,30,100,200,500,1000
-- trec_eval: set_recall(k=null)
-- parameters:
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether documents without a grade of 0 or more are
--                                   left out of the rankings
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders
-- definition: Relevant documents among the first k, divided by the number of relevant documents; 0 if
--    there are none.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.3
-- differs: Without a cutoff this is trec_eval's set_recall and ir_measures' SetR.
-- range: 0 1
-- mean: arithmetic
-- example: single-value-1 R@3 = 0.2
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(relevant_counts.num_rel_ret / nullif(topic_facts.num_rel, 0), 0) as value
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
left join relevant_counts(k := $k, rel := $rel, judged_only := $judged_only, ties := $ties) as relevant_counts
    on relevant_counts.evaluation_id = evaluated.evaluation_id
