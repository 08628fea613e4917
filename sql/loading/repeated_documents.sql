-- title: Documents that stand more than once for one topic of one run
-- inputs: ranked, suspected_repeats
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   document_id   key of the document
--   times         how often it stands there
select
    ranked.run_id,
    ranked.topic_id,
    ranked.document_id,
    count(*) as times
from ranked
where exists (
    select 1
    from suspected_repeats
    where
        suspected_repeats.topic_id = ranked.topic_id
        and suspected_repeats.document_id = ranked.document_id
)
group by ranked.run_id, ranked.topic_id, ranked.document_id
having count(*) > 1
