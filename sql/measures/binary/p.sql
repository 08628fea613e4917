-- measure: P
-- title: Precision at a cutoff
-- aliases: precision, P.k
-- parameters:
--   k integer? in [1, inf) = 10     rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: Relevant documents among the first k, divided by k. A ranking shorter than k is still
--    divided by k.
-- reference: Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, section 8.4
-- differs: Without a cutoff this divides by the number retrieved, as trec_eval's set_P; ir_measures
--    demands a cutoff.
-- range: 0 1
-- mean: arithmetic
-- example: single-value-1 P@3 = 0.67
-- example: single-value-1 P@10 = 0.4
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    cast(coalesce(relevant_counts.num_rel_ret, 0) as double)
        / coalesce(nullif(coalesce($k, evaluated.num_ret), 0), 1) as value
from evaluated
left join relevant_counts(k := $k, rel := $rel) as relevant_counts
    on relevant_counts.evaluation_id = evaluated.evaluation_id
