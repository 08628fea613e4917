-- title: How many documents that nobody judged the runs of a judgment set have down to a cutoff, all together
-- parameters: k
-- columns: qrels_id, topic_id
--   num_holes   documents; each counts once, however many runs have it
with runs_of_sets as (
    select distinct
        qrels_id,
        run_id
    from evaluations
),
pooled as (
    select distinct
        runs_of_sets.qrels_id,
        retrieved.topic_id,
        retrieved.document_id
    from runs_of_sets
    join retrieved on retrieved.run_id = runs_of_sets.run_id
    where retrieved.rank <= coalesce($k, 2147483647)
)
select
    pooled.qrels_id,
    pooled.topic_id,
    count(*) as num_holes
from pooled
left join judged_documents
    on judged_documents.qrels_id = pooled.qrels_id
    and judged_documents.topic_id = pooled.topic_id
    and judged_documents.document_id = pooled.document_id
where coalesce(judged_documents.grade, -1) < 0
group by pooled.qrels_id, pooled.topic_id
