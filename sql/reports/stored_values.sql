-- title: Values of measures that were computed elsewhere, by name; their rankings are not kept here
-- columns: qrels, run, topic, measure
--   value             its value
--   evalsql_version   version of the program that computed it; empty where that is not known
--   sql_digest        SHA-256 over the relation files that it was computed by; empty where that is not known
select
    qrels.qrels,
    runs.run,
    topics.topic,
    stored_scores.measure,
    stored_scores.value,
    stored_scores.evalsql_version,
    stored_scores.sql_digest
from stored_scores
join qrels using (qrels_id)
join asked_runs() as runs on runs.run_id = stored_scores.run_id
join topics on topics.topic_id = stored_scores.topic_id
