-- title: Staged preferences with keys in the place of names
-- inputs: staged, staged_files
-- columns: qrels_id, topic_id
--   judgment_group   who judged
--   subgroup         documents compared with each other, part of a group
--   document_id      key of the document
--   level            a document is preferred to those of a lower level in its subgroup
select
    staged_files.owner_id as qrels_id,
    topics.topic_id,
    staged.judgment_group,
    staged.subgroup,
    documents.document_id,
    staged.level
from staged
join staged_files using (file_id)
join topics using (topic)
join documents on documents.document = staged.document
order by topics.topic_id, staged.judgment_group, staged.subgroup, documents.document_id
