-- title: Topics that rankings made of calls, and lists that are cut, have documents for, as run_topics has them
-- inputs: listed_rows
-- columns:
--   run_id     key of the ranking
--   topic_id   key of the topic
--   num_ret    number of documents
select
    run_id,
    topic_id,
    cast(count(*) as integer) as num_ret
from listed_rows
group by run_id, topic_id
