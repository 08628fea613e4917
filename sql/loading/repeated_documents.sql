-- title: Documents that stand more than once for one topic of one run
-- inputs: coded
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   document_id   key of the document
--   times         how often it stands there
select
    run_id,
    topic_id,
    document_id,
    count(*) as times
from coded
group by run_id, topic_id, document_id
having count(*) > 1
