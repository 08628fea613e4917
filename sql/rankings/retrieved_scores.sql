-- title: Retrieved documents with what the tie rule compares of their scores
-- columns: run_id, topic_id
--   rank               rank in the ranking
--   document_id        key of the document
--   score              score as it stood in the file
--   comparison_score   what the tie rule compares, more being better: the score as a 32-bit float under trec_eval, else
--                      the score itself; with its sign turned where lower is better
select
    retrieved.run_id,
    retrieved.topic_id,
    retrieved.rank,
    retrieved.document_id,
    retrieved.score,
    comparison_score(retrieved.score, runs.tie_rule, runs.lower_is_better) as comparison_score
from asked_retrieved() as retrieved
join runs using (run_id)
