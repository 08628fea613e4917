-- title: Runs that wait for judgments and have a topic of a new judgment set
-- inputs: judged_topics, new_qrels
-- columns:
--   run_id   key of a run that nothing evaluates; where runs say that they are of the set's collection, none that says it
--            is of another
with own_collection as (
    select coalesce(qrels.meta['collection'], qrels.qrels) as collection
    from qrels
    join new_qrels using (qrels_id)
),
waiting as (
    select distinct
        runs.run_id,
        runs.meta['collection'] as collection
    from runs
    join run_topics using (run_id)
    where
        run_topics.topic_id in (select judged_topics.topic_id from judged_topics)
        and runs.run_id not in (select evaluations.run_id from evaluations)
        and runs.run_id not in (select stored_scores.run_id from stored_scores)
)
select waiting.run_id
from waiting
cross join own_collection
where
    waiting.collection is null
    or waiting.collection = own_collection.collection
    or own_collection.collection not in (
        select runs.meta['collection']
        from runs
        where runs.meta['collection'] is not null
    )
