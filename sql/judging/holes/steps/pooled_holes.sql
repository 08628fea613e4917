-- title: How many documents that nobody judged the runs of a judgment set have down to a cutoff, all together
-- parameters: k
-- columns: qrels_id, topic_id
--   num_holes   documents; each counts once, however many runs have it
-- definition: 64 documents are a block, and each of them is a bit of its number.
with runs_of_sets as (
    select distinct
        qrels_id,
        run_id
    from evaluations
),
-- A row for each document would take most of the time that bounds of whole rankings take.
pooled as (
    select
        runs_of_sets.qrels_id,
        retrieved.topic_id,
        retrieved.document_id >> 6 as block,
        bit_or(cast(1 as ubigint) << cast(retrieved.document_id & 63 as ubigint)) as documents
    from retrieved
    join runs_of_sets using (run_id)
    where retrieved.rank <= coalesce($k, 2147483647)
    group by runs_of_sets.qrels_id, retrieved.topic_id, retrieved.document_id >> 6
),
judged_blocks as (
    select
        qrels_id,
        topic_id,
        document_id >> 6 as block,
        bit_or(cast(1 as ubigint) << cast(document_id & 63 as ubigint)) as documents
    from judged_documents
    where grade >= 0
    group by qrels_id, topic_id, document_id >> 6
)
select
    pooled.qrels_id,
    pooled.topic_id,
    cast(sum(bit_count(pooled.documents & ~coalesce(judged_blocks.documents, cast(0 as ubigint)))) as bigint) as num_holes
from pooled
left join judged_blocks using (qrels_id, topic_id, block)
group by pooled.qrels_id, pooled.topic_id
