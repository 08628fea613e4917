-- title: How the topics of each run match those of the judgments it is evaluated with
-- columns: qrels, run
--   num_topics       topics of the judgment set, all of them averaged
--   missing_topics   those the run leaves out; they score as an empty ranking or no answer does; null where only scores are stored
--   extra_topics     topics of the run without judgments; they are left out; null where only scores are stored
with num_retrieved as (
    select
        run_id,
        count(*) as num_topics
    from run_topics
    group by run_id
),
ranked as (
    select
        evaluations.qrels_id,
        evaluations.run_id,
        count(*) as num_topics,
        count(run_topics.topic_id) as num_found
    from asked_evaluations() as evaluations
    left join run_topics using (run_id, topic_id)
    group by evaluations.qrels_id, evaluations.run_id
),
answered as (
    select
        qrels_id,
        run_id,
        -- If a run has assignments, these say which topics it answers.
        coalesce(nullif(count(case when kind = 'nuggets' then 1 end), 0), count(*)) as num_topics
    from judged_answers
    group by qrels_id, run_id
),
nugget_topics as (
    select
        qrels_id,
        count(distinct topic_id) as num_topics
    from nuggets
    group by qrels_id
),
counted as (
    select
        ranked.qrels_id,
        ranked.run_id,
        ranked.num_topics,
        ranked.num_topics - ranked.num_found as missing_topics,
        coalesce(num_retrieved.num_topics, 0) - ranked.num_found as extra_topics
    from ranked
    left join num_retrieved using (run_id)
    union all
    select
        answered.qrels_id,
        answered.run_id,
        nugget_topics.num_topics,
        nugget_topics.num_topics - answered.num_topics as missing_topics,
        0 as extra_topics
    from answered
    join nugget_topics using (qrels_id)
    union all
    select
        qrels_id,
        run_id,
        count(distinct topic_id) as num_topics,
        cast(null as bigint) as missing_topics,
        cast(null as bigint) as extra_topics
    from stored_scores
    group by qrels_id, run_id
)
select
    qrels.qrels,
    runs.run,
    counted.num_topics,
    counted.missing_topics,
    counted.extra_topics
from counted
join qrels using (qrels_id)
join asked_runs() as runs on runs.run_id = counted.run_id
