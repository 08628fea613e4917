-- title: What is evaluated of cut lists, as the base table evaluations has it of whole ones
-- inputs: cut_lists, list_facts
-- columns: evaluation_id, qrels_id
--   run_id     key of the cut list
--   topic_id   key of the topic
select
    cast(row_number() over (order by cut_lists.run_id, list_facts.topic_id) as integer) as evaluation_id,
    list_facts.qrels_id,
    cut_lists.run_id,
    list_facts.topic_id
from cut_lists
join list_facts using (list)
