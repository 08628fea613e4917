-- title: Every document that a run retrieved, by name
-- columns: run, topic
--   rank       rank from 1, under the run's tie rule
--   document   document
--   score      score as it stood in the file
select
    runs.run,
    topics.topic,
    retrieved.rank,
    documents.document,
    retrieved.score
from retrieved
join runs using (run_id)
join topics on topics.topic_id = retrieved.topic_id
join documents on documents.document_id = retrieved.document_id
