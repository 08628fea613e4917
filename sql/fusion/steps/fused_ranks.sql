-- title: What the runs to be fused retrieved, by rank
-- parameters: runs, weights
-- columns:
--   place         place of the run in the list, from 1
--   weight        its weight
--   run_id        its key
--   topic_id      key of the topic
--   document_id   key of the document
--   rank          rank from 1, under the run's tie rule
select
    listed.place,
    listed.weight,
    listed.run_id,
    retrieved.topic_id,
    retrieved.document_id,
    retrieved.rank
from known_runs(runs := $runs, weights := $weights) as listed
join retrieved using (run_id)
