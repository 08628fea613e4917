-- title: What the runs to be fused retrieved, by rank, with the fold of the topic
-- parameters: runs, qrels, folds
-- columns:
--   fold          fold of the topic; 0 where it has no judgments
--   place         place of the run in the list, from 1
--   topic_id      key of the topic
--   document_id   key of the document
--   rank          rank from 1, under the run's tie rule
--   num_ret       documents that the run has for the topic
select
    coalesce(parts.fold, 0) as fold,
    listed.place,
    retrieved.topic_id,
    retrieved.document_id,
    retrieved.rank,
    run_topics.num_ret
from fused_runs(runs := $runs) as listed
join retrieved on retrieved.run_id = listed.run_id
join run_topics
    on run_topics.run_id = retrieved.run_id
    and run_topics.topic_id = retrieved.topic_id
left join topic_folds(qrels := $qrels, folds := $folds) as parts on parts.topic_id = retrieved.topic_id
