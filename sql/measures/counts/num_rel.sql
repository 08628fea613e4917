-- measure: NumRel
-- title: Number of relevant documents
-- trec_eval: num_rel
-- parameters:
--   rel integer in [0, inf) = 1     least grade that counts as relevant
-- definition: Relevant documents among the topic's judgments; summed over topics.
-- reference: Buckley, trec_eval, measure num_rel
-- differs: trec_eval's total under -c counts grades above 0 whatever -l says.
-- range: 0 inf
-- mean: sum
-- example: mixed NumRel = 4
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    cast(topic_facts.num_rel as double) as value
from evaluated
join topic_facts(rel := $rel) as topic_facts
    on topic_facts.qrels_id = evaluated.qrels_id
    and topic_facts.topic_id = evaluated.topic_id
