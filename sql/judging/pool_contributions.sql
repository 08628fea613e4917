-- title: What each run gives to the pool, and what nobody else gives
-- parameters: runs, depth, names, rel = 1
-- columns: qrels, run
--   num_pooled            documents that it gives to the pool, over all topics
--   num_unique            those that no other of the runs gives
--   num_judged            those judged, with a grade of 0 or more
--   num_relevant          those relevant
--   num_unique_judged     those judged that no other run gives
--   num_unique_relevant   those relevant that no other run gives
-- definition: Counts over all topics of the run.
-- reference: Zobel 1998, How reliable are the results of large-scale information retrieval experiments?,
--     doi:10.1145/290941.291014
with pooled as (
    select
        listed.run_id,
        listed.run,
        retrieved.topic_id,
        retrieved.document_id,
        count(*) over (partition by retrieved.topic_id, retrieved.document_id) as num_pooling
    from known_runs(runs := $runs) as listed
    join retrieved using (run_id)
    where retrieved.rank <= coalesce($depth, retrieved.rank)
),
pairs as (
    select distinct
        qrels_id,
        run_id
    from evaluations
)
select
    listed.qrels,
    pooled.run,
    count(*) as num_pooled,
    count(case when pooled.num_pooling = 1 then 1 end) as num_unique,
    count(case when judged_documents.grade >= 0 then 1 end) as num_judged,
    count(case when judged_documents.grade >= $rel then 1 end) as num_relevant,
    count(case when pooled.num_pooling = 1 and judged_documents.grade >= 0 then 1 end) as num_unique_judged,
    count(case when pooled.num_pooling = 1 and judged_documents.grade >= $rel then 1 end)
        as num_unique_relevant
from named_qrels(names := $names) as listed
join pairs using (qrels_id)
join pooled using (run_id)
left join judged_documents using (qrels_id, topic_id, document_id)
group by listed.qrels, pooled.run
