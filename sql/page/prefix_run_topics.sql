-- title: How many documents cut rankings have, as the base table run_topics says of whole ones
-- inputs: prefix_keys, run_topics
-- columns:
--   run_id     key of the run
--   topic_id   key of the topic
--   num_ret    documents kept
select
    prefix_keys.run_id,
    prefix_keys.topic_id,
    least(run_topics.num_ret, prefix_keys.num_kept) as num_ret
from prefix_keys
join run_topics
    on run_topics.run_id = prefix_keys.whole_run_id
    and run_topics.topic_id = prefix_keys.topic_id
