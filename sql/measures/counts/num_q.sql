-- measure: NumQ
-- title: Number of topics
-- trec_eval: num_q
-- definition: 1 for each topic of the judgments; summed over topics.
-- reference: Buckley, trec_eval, measure num_q
-- differs: Topics that the run leaves out count, as under trec_eval -c and in ir_measures. trec_eval 9 without -c counts
--    those that are in the run; 10 stops at one that is not, where evalsql trec_eval does as 9 does.
-- range: 1 1
-- mean: sum
-- holes: none, it is of judgments alone
-- scores: no
-- example: mixed NumQ = 3
select
    qrels,
    run,
    topic,
    cast(1 as double) as value
from evaluated_topics
