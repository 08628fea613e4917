-- title: Stored scores that do not have each judged topic once
-- quick: yes
-- columns: finding
--   num_rows   stored scores of the run, the judgment set and the measure
-- definition: Each run has of each stored measure one value for every topic of the judgment set, and none for others.
with judged_topics as (
    select distinct
        qrels_id,
        topic_id
    from judged_documents
),
judged_counts as (
    select
        qrels_id,
        count(*) as num_topics
    from judged_topics
    group by qrels_id
),
stored as (
    select
        stored_scores.qrels_id,
        stored_scores.run_id,
        stored_scores.measure,
        count(*) as num_rows,
        count(distinct judged_topics.topic_id) as num_topics
    from stored_scores
    left join judged_topics using (qrels_id, topic_id)
    group by stored_scores.qrels_id, stored_scores.run_id, stored_scores.measure
)
select
    concat(
        'run ', coalesce(runs.run, concat('#', stored.run_id)), ', judgments ',
        coalesce(qrels.qrels, concat('#', stored.qrels_id)), ', ', stored.measure, ': ', stored.num_rows,
        ' stored scores for ', stored.num_topics, ' of ', coalesce(judged_counts.num_topics, 0), ' judged topics'
    ) as finding,
    stored.num_rows
from stored
left join judged_counts using (qrels_id)
left join runs using (run_id)
left join qrels on qrels.qrels_id = stored.qrels_id
where
    stored.num_rows <> coalesce(judged_counts.num_topics, 0)
    or stored.num_topics <> stored.num_rows
