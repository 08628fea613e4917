-- title: The rows measures of answers have: each run on each topic of the nuggets that its answers were assigned to
-- columns: qrels_id, run_id, topic_id, qrels, run, topic
--   missing   whether the run has no answer to the topic
with pairs as (
    select distinct
        qrels_id,
        run_id
    from nugget_assignments
),
nugget_topics as (
    select distinct
        qrels_id,
        topic_id
    from nuggets
),
assigned as (
    select distinct
        qrels_id,
        run_id,
        topic_id
    from nugget_assignments
)
select
    pairs.qrels_id,
    pairs.run_id,
    nugget_topics.topic_id,
    qrels.qrels,
    runs.run,
    topics.topic,
    assigned.run_id is null as missing
from pairs
join nugget_topics on nugget_topics.qrels_id = pairs.qrels_id
join qrels on qrels.qrels_id = pairs.qrels_id
join asked_runs() as runs on runs.run_id = pairs.run_id
join topics on topics.topic_id = nugget_topics.topic_id
left join assigned
    on assigned.qrels_id = pairs.qrels_id
    and assigned.run_id = pairs.run_id
    and assigned.topic_id = nugget_topics.topic_id
