-- title: The documents of rankings made of calls, and of runs without calls, as the base table retrieved has them
-- inputs: listed_runs, united_calls
-- columns:
--   run_id        key of the ranking
--   topic_id      key of the topic
--   rank          rank from 1
--   tied_above    documents above it that the tie rule holds equal to it
--   first_rank    rank of the first document that the tie rule holds equal to it
--   document_id   key of the document
--   score         score
select
    run_id,
    topic_id,
    rank,
    tied_above,
    rank - tied_above as first_rank,
    document_id,
    score
from united_calls
union all
select
    run_id,
    topic_id,
    rank,
    tied_above,
    rank - tied_above as first_rank,
    document_id,
    score
from retrieved
where run_id in (select run_id from listed_runs where not has_calls)
