-- title: How many relevant spans a topic has
-- parameters: rel
-- columns: qrels_id, topic_id
--   num_spans   relevant spans; there is no row where there are none
select
    qrels_id,
    topic_id,
    count(*) as num_spans
from judged_spans
where grade >= $rel
group by qrels_id, topic_id
