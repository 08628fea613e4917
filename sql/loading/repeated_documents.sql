-- title: Documents that stand more than once for one topic of one run
-- inputs: coded
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   document_id   key of the document
--   times         how often it stands there
with suspect_lists as (
    select
        run_id,
        topic_id
    from coded
    group by run_id, topic_id
    having count(*) <> count(distinct document_id)
)
select
    coded.run_id,
    coded.topic_id,
    coded.document_id,
    count(*) as times
from coded
join suspect_lists
    on suspect_lists.run_id = coded.run_id
    and suspect_lists.topic_id = coded.topic_id
group by coded.run_id, coded.topic_id, coded.document_id
having count(*) > 1
