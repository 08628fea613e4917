-- title: Rows of runs with calls under the key of a ranking for each call, in the place of the run's
-- inputs: compared_rows, numbered_calls
-- columns:
--   run_id        key of the ranking
--   topic_id      key of the topic
--   document_id   key of the document
--   name_rank     rank of the document's name among those staged
--   given_rank    rank column, null where it is not used
--   position      place among the staged rows
--   score         score as it stood in the file
--   strength      what is compared of the score, more being better
select
    numbered_calls.list_id as run_id,
    compared_rows.topic_id,
    compared_rows.document_id,
    compared_rows.name_rank,
    compared_rows.given_rank,
    compared_rows.position,
    compared_rows.score,
    compared_rows.strength
from compared_rows
join numbered_calls
    on numbered_calls.run_id = compared_rows.run_id
    and numbered_calls.topic_id = compared_rows.topic_id
    and numbered_calls.call_name = compared_rows.call
