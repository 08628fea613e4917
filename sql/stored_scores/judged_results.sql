-- title: Runs of staged results with values of topics, and the judgments here that have the topics
-- inputs: staged_results
-- columns:
--   run           name of the run
--   file          number of its first file with values of topics
--   collection    its collection
--   qrels         the judgment set that was named, else the first of the collection; null where none has a topic of these
--   has_overall   whether there are values over all topics too
-- parameters:
--   qrels varchar = ''   the judgment set that was named; empty if none was
with results as (
    select
        run,
        min(collection) as collection,
        min(case when topic is not null then file end) as file,
        bool_or(topic is null) as has_overall
    from staged_results
    group by run
    having count(topic) > 0
),
named_topics as (
    select distinct
        staged_results.run,
        topics.topic_id
    from staged_results
    join topics using (topic)
),
judged as (
    select
        results.run,
        qrels.qrels,
        min(qrels.qrels_id) as qrels_id
    from results
    join qrels
        on qrels.qrels = $qrels
        or ($qrels = '' and coalesce(qrels.meta['collection'], qrels.qrels) = results.collection)
    join judged_documents using (qrels_id)
    join named_topics
        on named_topics.run = results.run
        and named_topics.topic_id = judged_documents.topic_id
    where qrels.replaced_at is null
    group by results.run, qrels.qrels
),
chosen as (
    select
        run,
        arg_min(qrels, qrels_id) as qrels
    from judged
    group by run
)
select
    results.run,
    results.file,
    results.collection,
    chosen.qrels,
    results.has_overall
from results
left join chosen using (run)
