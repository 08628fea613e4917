-- title: Documents of the pool that are still to be judged
-- parameters: runs, depth, names, p = 0.8
-- columns: topic
--   document        document that none of the judgment sets judges
--   num_pooling     runs that have it among their first ones
--   num_runs        runs that retrieved it at all
--   best_rank       its best rank in any run
--   total_change    what all runs together would gain if it were relevant
--   figure_change   what the run that ranks it highest would gain
--   order_change    by how much the difference of two runs could change
-- definition: The relation pool without the documents that have a grade of 0 or more in one of the judgment sets; a
--     negative grade is no judgment.
with judged as (
    select
        topics.topic,
        documents.document
    from named_qrels(names := $names) as listed
    join judged_documents using (qrels_id)
    join topics using (topic_id)
    join documents on documents.document_id = judged_documents.document_id
    where judged_documents.grade >= 0
    group by topics.topic, documents.document
)
select
    pool.topic,
    pool.document,
    pool.num_pooling,
    pool.num_runs,
    pool.best_rank,
    pool.total_change,
    pool.figure_change,
    pool.order_change
from pool(runs := $runs, depth := $depth, p := $p) as pool
left join judged using (topic, document)
where judged.document is null
