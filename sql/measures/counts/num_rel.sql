-- measure: NumRel
-- title: Number of relevant documents
-- trec_eval: num_rel
-- parameters: rel
-- definition: Relevant documents among the topic's judgments; summed over topics.
-- reference: Buckley, trec_eval, measure num_rel
-- differs: trec_eval's total under -c counts grades above 0 whatever -l says. ir_measures gives 0 for a topic that
--    the run leaves out.
-- range: 0 inf
-- mean: sum
-- holes: none, it is of judgments alone
-- example: mixed NumRel = 4
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cast(topic_counts.num_rel as double) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
