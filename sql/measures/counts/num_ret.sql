-- measure: NumRet
-- title: Number of documents retrieved
-- trec_eval: num_ret
-- definition: Documents the run has for the topic; summed over topics.
-- reference: Buckley, trec_eval, measure num_ret
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 inf
-- mean: sum
-- example: mixed NumRet = 7
select
    qrels,
    run,
    topic,
    cast(num_ret as double) as value
from evaluated
