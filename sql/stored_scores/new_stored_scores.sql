-- title: Rows of the table stored_scores for scores that are to be stored
-- inputs: staged
-- columns: qrels_id, run_id, topic_id, measure
--   value             its value
--   evalsql_version   version of the program that computed it
--   sql_digest        SHA-256 over the relation files that it was computed by
select
    qrels.qrels_id,
    runs.run_id,
    topics.topic_id,
    staged.measure,
    staged.value,
    staged.evalsql_version,
    staged.sql_digest
from staged
join qrels using (qrels)
join runs on runs.run = staged.run
join topics on topics.topic = staged.topic
order by qrels.qrels_id, runs.run_id, staged.measure, topics.topic_id
