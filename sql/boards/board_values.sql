-- title: Values of systems over whole collections: what a board is made of
-- columns: measure
--   collection     collection: the meta key collection of the judgment set, else its name; of figures without topics
--                  that of the run
--   system         system: the meta key system of the run, else its name
--   version        version of the system; null for none
--   value          mean over the topics, as summary has it, or the figure that was loaded
--   num_topics     topics averaged; null for a figure without topics
--   topics         those topics, in the order of their names; null for such a figure, and where the mean is none that
--                  topics drawn with replacement have: geometric, by weights, or a sum
--   topic_values   the value of each
--   dated_at       date of the run, in UTC
--   qrels          judgment set; null for a figure without topics
--   run            run
-- definition: One row for each measure, collection, system and version. Of several judgment sets of a collection the
--     one that was loaded first is taken, of several runs the latest by date, then the one loaded last; what has topics
--     goes before a figure without. A table of one's own named board_values, also a temporary one, takes the place of
--     this view in all that stands on it; so does one named scores.
with by_topic as (
    select
        scores.qrels,
        scores.run,
        scores.measure,
        list(scores.topic order by scores.topic) as topics,
        list(scores.value order by scores.topic) as topic_values
    from scores
    left join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
    where coalesce(measures.mean, 'arithmetic') = 'arithmetic'
    group by scores.qrels, scores.run, scores.measure
),
found as (
    select
        summary.measure,
        coalesce(qrels.meta['collection'], qrels.qrels) as collection,
        summary.run,
        summary.value,
        summary.num_topics,
        by_topic.topics,
        by_topic.topic_values,
        qrels.qrels,
        qrels.qrels_id
    from summary
    join qrels using (qrels)
    left join by_topic
        on by_topic.qrels = summary.qrels
        and by_topic.run = summary.run
        and by_topic.measure = summary.measure
    where qrels.replaced_at is null
    qualify qrels.qrels_id = min(qrels.qrels_id) over (
        partition by summary.measure, coalesce(qrels.meta['collection'], qrels.qrels)
    )
    union all
    select
        collection_scores.measure,
        runs.meta['collection'] as collection,
        runs.run,
        collection_scores.value,
        null as num_topics,
        null as topics,
        null as topic_values,
        null as qrels,
        null as qrels_id
    from collection_scores
    join runs using (run_id)
    where runs.meta['collection'] is not null
)
select
    found.measure,
    found.collection,
    coalesce(run_versions.system, found.run) as system,
    run_versions.version,
    found.value,
    found.num_topics,
    found.topics,
    found.topic_values,
    run_versions.dated_at,
    found.qrels,
    found.run
from found
join run_versions using (run)
where found.value is not null
qualify row_number() over (
    partition by found.measure, found.collection, coalesce(run_versions.system, found.run), run_versions.version
    order by found.num_topics is null, run_versions.dated_at desc, run_versions.run_id desc
) = 1
