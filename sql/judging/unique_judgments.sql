-- title: Judged documents that one run alone gives to the pool
-- parameters: runs, depth, names
-- columns: qrels
--   run           the run
--   topic         topic
--   document      document
--   grade         its grade, from 0 on
--   qrels_id      key of the judgment set
--   run_id        key of the run
--   topic_id      key of the topic
--   document_id   key of the document
-- definition: Documents with a grade of 0 or more that stand among the first of this run and of no other of the runs.
with pooled as (
    select
        retrieved.topic_id,
        retrieved.document_id,
        count(*) as num_pooling,
        min(listed.run_id) as run_id
    from known_runs(runs := $runs) as listed
    join retrieved using (run_id)
    where retrieved.rank <= coalesce($depth, retrieved.rank)
    group by retrieved.topic_id, retrieved.document_id
)
select
    listed.qrels,
    held.run,
    topics.topic,
    documents.document,
    judged_documents.grade,
    listed.qrels_id,
    pooled.run_id,
    pooled.topic_id,
    pooled.document_id
from pooled
join judged_documents using (topic_id, document_id)
join named_qrels(names := $names) as listed using (qrels_id)
join runs as held on held.run_id = pooled.run_id
join topics on topics.topic_id = pooled.topic_id
join documents on documents.document_id = pooled.document_id
where
    pooled.num_pooling = 1
    and judged_documents.grade >= 0
