-- title: The documents that each run gives to the pool
-- parameters: runs, depth
-- columns: run, topic
--   document   document
--   rank       its rank, the depth at most
-- definition: The first documents of each run for each topic, under the run's tie rule.
-- reference: Spärck Jones and van Rijsbergen 1975, Report on the need for and provision of an ideal information
--     retrieval test collection
select
    listed.run,
    topics.topic,
    documents.document,
    retrieved.rank
from known_runs(runs := $runs) as listed
join retrieved using (run_id)
join topics using (topic_id)
join documents on documents.document_id = retrieved.document_id
where retrieved.rank <= coalesce($depth, retrieved.rank)
