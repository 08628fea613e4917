-- title: The values that the rules of a gate read of groups of topics, under the rules' labels
-- inputs: gate_rules, gate_scores
-- columns: qrels, run
--   topic     topic of the group
--   measure   label of a rule about the group
--   value     value of the rule's measure
select distinct
    gate_scores.qrels,
    gate_scores.run,
    gate_scores.topic,
    gate_rules.measure,
    gate_scores.value
from gate_rules
join gate_scores on gate_scores.measure = gate_rules.measure_name
join qrels using (qrels)
join topics on topics.topic = gate_scores.topic
join topic_meta
    on topic_meta.qrels_id = qrels.qrels_id
    and topic_meta.topic_id = topics.topic_id
    and topic_meta.key = gate_rules.group_key
    and topic_meta.value = gate_rules.group_value
