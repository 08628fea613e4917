-- title: Staged judgments with keys in the place of names
-- inputs: staged, staged_files
-- columns: qrels_id, topic_id
--   iteration     second column of the file
--   document_id   key of the document
--   grade         degree of relevance
select
    staged_files.owner_id as qrels_id,
    topics.topic_id,
    staged.iteration,
    documents.document_id,
    staged.grade
from staged
join staged_files using (file_id)
join topics using (topic)
join documents on documents.document = staged.document
order by topics.topic_id, documents.document_id
