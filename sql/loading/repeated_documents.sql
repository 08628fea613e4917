-- title: Documents that stand more than once for one topic of one run
-- inputs: ranked
-- columns: run_id, topic_id, document_id
--   times   how often it stands there
with possible_duplicates as (
    -- A bit for each of 126 runs: fewer bits than rows mean that one of them has the document twice.
    select
        topic_id,
        document_id
    from ranked
    group by topic_id, document_id, run_id // 126
    having count(*) > bit_count(bit_or(cast(1 as hugeint) << (run_id % 126)))
)
select
    ranked.run_id,
    ranked.topic_id,
    ranked.document_id,
    count(*) as times
from ranked
join possible_duplicates
    on possible_duplicates.topic_id = ranked.topic_id
    and possible_duplicates.document_id = ranked.document_id
group by ranked.run_id, ranked.topic_id, ranked.document_id
having count(*) > 1
