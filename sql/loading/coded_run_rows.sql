-- title: Staged rows of runs with keys in the place of names
-- inputs: staged, staged_files
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
-- columns:
--   run_id        key of the run
--   topic_id      key of the topic
--   rank          what the tie rule compares first: the file's rank column under rank, the row's place under input
--   document_id   key of the document
--   score         score as it stood in the file
select
    staged_files.owner_id as run_id,
    topics.topic_id,
    case
        when $tie_rule = 'rank' then staged.given_rank
        when $tie_rule = 'input' then staged.position
    end as rank,
    named_documents.document_id,
    staged.score
from staged
join staged_files on staged_files.file_id = staged.file_id
join topics on topics.topic = staged.topic
join named_documents on named_documents.document = staged.document
