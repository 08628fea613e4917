-- title: Rankings of calls as the base table call_ranks has them, in its order
-- inputs: ranked, numbered_calls
-- columns: run_id, topic_id
--   call          place of the call among those of the topic
--   call_name     the call as the file names it; null where that is its place
--   rank          rank in the call from 1
--   tied_above    documents of the call above it that the tie rule holds equal to it
--   document_id   key of the document
--   score         score as it stood in the file
select
    numbered_calls.run_id,
    numbered_calls.topic_id,
    numbered_calls.call,
    nullif(numbered_calls.call_name, cast(numbered_calls.call as varchar)) as call_name,
    ranked.rank,
    ranked.tied_above,
    ranked.document_id,
    ranked.score
from ranked
join numbered_calls
    on numbered_calls.list_id = ranked.run_id
    and numbered_calls.topic_id = ranked.topic_id
order by numbered_calls.run_id, numbered_calls.topic_id, numbered_calls.call, ranked.rank
