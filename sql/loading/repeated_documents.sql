-- title: Documents that stand more than once for one topic of one run
-- inputs: coded
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   document_id   key of the document
--   times         how often it stands there
with suspects as (
    -- A bit for each of 64 runs: fewer bits than rows mean that one of them has the document twice.
    select
        topic_id,
        document_id
    from coded
    group by topic_id, document_id, run_id // 64
    having count(*) > bit_count(bit_or(cast(1 as ubigint) << (run_id % 64)))
)
select
    coded.run_id,
    coded.topic_id,
    coded.document_id,
    count(*) as times
from coded
where exists (
    select 1
    from suspects
    where
        suspects.topic_id = coded.topic_id
        and suspects.document_id = coded.document_id
)
group by coded.run_id, coded.topic_id, coded.document_id
having count(*) > 1
