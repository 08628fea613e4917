-- measure: NumRelRet
-- title: Number of relevant documents retrieved
-- trec_eval: num_rel_ret
-- parameters: rel
-- definition: Relevant documents that the run retrieved; summed over topics.
-- reference: Buckley, trec_eval, measure num_rel_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- example: mixed NumRelRet = 2
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(relevant_retrieved.num_rel_ret, 0) as value
from evaluated_topics
left join relevant_retrieved(rel := $rel) as relevant_retrieved
    on relevant_retrieved.evaluation_id = evaluated_topics.evaluation_id
