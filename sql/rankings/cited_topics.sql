-- title: The rows measures of citations have: each run with citations on each topic of the nuggets
-- columns: qrels_id, run_id, topic_id, qrels, run, topic
--   missing   whether the run has no answer with citations to the topic
with pairs as (
    select distinct
        qrels_id,
        run_id
    from answer_citations
),
nugget_topics as (
    select distinct
        qrels_id,
        topic_id
    from nuggets
),
cited as (
    select distinct
        qrels_id,
        run_id,
        topic_id
    from answer_citations
)
select
    pairs.qrels_id,
    pairs.run_id,
    nugget_topics.topic_id,
    qrels.qrels,
    runs.run,
    topics.topic,
    cited.run_id is null as missing
from pairs
join nugget_topics on nugget_topics.qrels_id = pairs.qrels_id
join qrels on qrels.qrels_id = pairs.qrels_id
join asked_runs() as runs on runs.run_id = pairs.run_id
join topics on topics.topic_id = nugget_topics.topic_id
left join cited
    on cited.qrels_id = pairs.qrels_id
    and cited.run_id = pairs.run_id
    and cited.topic_id = nugget_topics.topic_id
