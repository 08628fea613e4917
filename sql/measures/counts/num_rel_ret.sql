-- measure: NumRelRet
-- title: Number of relevant documents retrieved
-- trec_eval: num_rel_ret
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: Relevant documents that the run retrieved; summed over topics.
-- reference: Buckley, trec_eval, measure num_rel_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- example: mixed NumRelRet = 2
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    coalesce(relevant_counts.num_rel_ret, 0) as value
from evaluated
left join relevant_counts(rel := $rel) as relevant_counts
    on relevant_counts.evaluation_id = evaluated.evaluation_id
