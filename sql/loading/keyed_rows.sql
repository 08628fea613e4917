-- title: Staged rows with keys in the place of names
-- inputs: compared_rows, staged_lists, named_documents
-- columns:
--   position      place among the staged rows
--   run_id        key of the run
--   topic_id      key of the topic
--   start         position of the first row of the topic
--   is_ordered    whether the topic's lines stand in the order of the ranking but for ties
--   given         what the tie rule compares before the score, less being better
--   strength      what it compares of the score, more being better
--   document      document
--   document_id   its key
--   score         score
select
    compared_rows.position,
    staged_lists.run_id,
    staged_lists.topic_id,
    staged_lists.start,
    staged_lists.is_ordered,
    compared_rows.given,
    compared_rows.strength,
    compared_rows.document,
    named_documents.document_id,
    compared_rows.score
from compared_rows
join staged_lists
    on staged_lists.file_id = compared_rows.file_id
    and staged_lists.topic = compared_rows.topic
join named_documents on named_documents.document = compared_rows.document
