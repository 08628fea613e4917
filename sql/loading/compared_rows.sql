-- title: Staged rows with keys in the place of names, and what the tie rule compares of each
-- inputs: staged, staged_files, document_ids
-- parameters:
--   tie_rule varchar in {trec_eval, trec_eval_10, rank, input} = trec_eval   how documents are ordered
--   lower_is_better boolean = false                                          whether smaller scores are better
-- columns: run_id, topic_id, document_id
--   name_rank    rank of the document's name among those staged
--   given_rank   rank column, null where it is not used
--   position     place among the staged rows
--   score        score as it stood in the file
--   strength     what is compared of the score, more being better
--   call         call that found it, as the file names it; null where the run has none
select
    staged_files.owner_id as run_id,
    topics.topic_id,
    document_ids.document_id,
    document_ids.name_rank,
    staged.given_rank,
    staged.position,
    staged.score,
    comparison_score(staged.score, $tie_rule, $lower_is_better) as strength,
    staged.call
from staged
join staged_files using (file_id)
join topics using (topic)
join document_ids on document_ids.document = staged.document
