-- title: Documents that stand more than once for one topic of one run, or for one call of it
-- inputs: ranked, ranked_calls
-- columns: run_id, topic
--   document   name of the document
--   call       name of the call, where the rankings are those of calls
with possible_duplicates as (
    -- A bit for each of 126 runs: fewer bits than rows mean that one of them has the document twice.
    select
        topic_id,
        document_id
    from ranked
    group by topic_id, document_id, run_id // 126
    having count(*) > bit_count(bit_or(cast(1 as hugeint) << (run_id % 126)))
),
repeated as (
    select
        ranked.run_id,
        ranked.topic_id,
        ranked.document_id
    from ranked
    join possible_duplicates using (topic_id, document_id)
    group by ranked.run_id, ranked.topic_id, ranked.document_id
    having count(*) > 1
)
select
    coalesce(ranked_calls.run_id, repeated.run_id) as run_id,
    topics.topic,
    documents.document,
    ranked_calls.call_name as call
from repeated
join topics using (topic_id)
join documents on documents.document_id = repeated.document_id
left join ranked_calls
    on ranked_calls.list_id = repeated.run_id
    and ranked_calls.topic_id = repeated.topic_id
