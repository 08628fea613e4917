-- title: Ranks of the staged rows that stand where they belong: all but the resolved ones
-- inputs: staged, staged_lists, resolved_ranks, named_documents
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          place in the ranking from 1
--   first_rank    the same: none is tied
--   document_id   key of the document
--   score         score as it stood in the file
select
    staged_lists.run_id,
    staged_lists.topic_id,
    cast(staged.position - staged_lists.start + 1 as integer) as rank,
    cast(staged.position - staged_lists.start + 1 as integer) as first_rank,
    named_documents.document_id,
    staged.score
from staged
join staged_lists
    on staged_lists.file_id = staged.file_id
    and staged_lists.topic = staged.topic
join named_documents on named_documents.document = staged.document
where not exists (
    select 1
    from resolved_ranks
    where resolved_ranks.position = staged.position
)
