-- measure: NumRet
-- title: Number of documents retrieved
-- aliases: num_ret
-- definition: Documents the run has for the topic; summed over topics.
-- reference: Buckley, trec_eval, measure num_ret
-- range: 0 inf
-- mean: sum
-- example: mixed NumRet = 7
select
    qrels,
    run,
    topic,
    cast(num_ret as double) as value
from evaluated
