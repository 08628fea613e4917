-- title: How the topics of each run match those of the judgments it is evaluated with
-- columns: qrels, run
--   num_topics       topics of the judgment set, all of them averaged
--   missing_topics   those the run leaves out; they score as an empty ranking or no answer does; null where only scores are stored
--   extra_topics     topics of the run without judgments; they are left out; null where only scores are stored
with matched as (
    select
        qrels_id,
        run_id,
        qrels,
        run,
        answered,
        count(*) as num_topics,
        count(case when missing then 1 end) as missing_topics
    from averaged_topics
    group by qrels_id, run_id, qrels, run, answered
),
retrieved_topics as (
    select
        run_id,
        count(*) as num_retrieved
    from run_topics
    group by run_id
),
stored as (
    select
        qrels_id,
        run_id,
        count(distinct topic_id) as num_topics
    from stored_scores
    group by qrels_id, run_id
)
select
    matched.qrels,
    matched.run,
    matched.num_topics,
    matched.missing_topics,
    case
        when matched.answered then 0
        else coalesce(retrieved_topics.num_retrieved, 0) - (matched.num_topics - matched.missing_topics)
    end as extra_topics
from matched
left join retrieved_topics on retrieved_topics.run_id = matched.run_id
union all
select
    qrels.qrels,
    runs.run,
    stored.num_topics,
    cast(null as bigint) as missing_topics,
    cast(null as bigint) as extra_topics
from stored
join qrels on qrels.qrels_id = stored.qrels_id
join asked_runs() as runs on runs.run_id = stored.run_id
