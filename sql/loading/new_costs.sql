-- title: Rows of the table costs for those that are to be kept
-- inputs: staged_keys
-- columns: run_id
--   topic_id   key of the topic; null for a number of the whole run
--   call       number of the call within the topic; null for a number of the whole topic
--   cost       what the number is
--   value      the number
select distinct
    run_id,
    topic_id,
    number as call,
    cost,
    value
from staged_keys
order by run_id, cost, topic_id, call
