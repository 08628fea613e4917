-- measure: NumQ
-- title: Number of topics
-- trec_eval: num_q
-- definition: 1 for each topic of the judgments; summed over topics.
-- reference: Buckley, trec_eval, measure num_q
-- differs: Topics that the run leaves out count, as under trec_eval -c and in ir_measures.
-- range: 1 1
-- mean: sum
-- scores: no
-- example: mixed NumQ = 3
select
    qrels,
    run,
    topic,
    cast(1 as double) as value
from evaluated
