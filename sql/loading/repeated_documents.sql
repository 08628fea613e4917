-- title: Documents that stand more than once for one topic of one run
-- inputs: ranked
-- parameters:
--   num_runs integer in [1, inf) = 2   how many runs there are; of one alone a document stands once for a topic
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
    from ranked
    group by topic_id, document_id, run_id // 64
    having count(*) > case when $num_runs = 1 then 1 else bit_count(bit_or(cast(1 as ubigint) << (run_id % 64))) end
)
select
    ranked.run_id,
    ranked.topic_id,
    ranked.document_id,
    count(*) as times
from ranked
where exists (
    select 1
    from suspects
    where
        suspects.topic_id = ranked.topic_id
        and suspects.document_id = ranked.document_id
)
group by ranked.run_id, ranked.topic_id, ranked.document_id
having count(*) > 1
