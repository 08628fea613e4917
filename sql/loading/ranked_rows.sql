-- title: Staged rows with keys in the place of names, and their ranks
-- inputs: staged, staged_lists, named_documents, resolved_ranks
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1; the place of the line where nothing else was resolved
--   first_rank    place of the first document of the same strength, if the tie rule goes by the score
--   document_id   key of the document
--   score         score as it stood in the file
select
    staged_lists.run_id,
    staged_lists.topic_id,
    coalesce(resolved_ranks.rank, cast(staged.position - staged_lists.start + 1 as integer)) as rank,
    coalesce(resolved_ranks.first_rank, cast(staged.position - staged_lists.start + 1 as integer)) as first_rank,
    named_documents.document_id,
    staged.score
from staged
join staged_lists
    on staged_lists.file_id = staged.file_id
    and staged_lists.topic = staged.topic
join named_documents on named_documents.document = staged.document
left join resolved_ranks on resolved_ranks.position = staged.position
