-- title: What a portion has of each of its runs
-- columns:
--   run                name of the run
--   num_rows           documents, of topics without judgments too
--   missing_topics     topics that are evaluated and that the run leaves out
--   judged_documents   judged documents among them
--   duplicates         rows left out because their document stands again for the topic
with retrieved_topics as (
    select
        run_id,
        sum(num_ret) as num_rows
    from run_topics
    group by run_id
),
left_out as (
    select
        evaluations.run_id,
        count(*) as missing_topics
    from evaluations
    left join run_topics
        on run_topics.run_id = evaluations.run_id
        and run_topics.topic_id = evaluations.topic_id
    where run_topics.run_id is null
    group by evaluations.run_id
),
judged as (
    select
        evaluations.run_id,
        count(*) as judged_documents
    from judged_ranks
    join evaluations on evaluations.evaluation_id = judged_ranks.evaluation_id
    group by evaluations.run_id
)
select
    runs.run,
    cast(coalesce(retrieved_topics.num_rows, 0) as bigint) as num_rows,
    coalesce(left_out.missing_topics, 0) as missing_topics,
    coalesce(judged.judged_documents, 0) as judged_documents,
    coalesce(runs.duplicates, 0) as duplicates
from runs
left join retrieved_topics on retrieved_topics.run_id = runs.run_id
left join left_out on left_out.run_id = runs.run_id
left join judged on judged.run_id = runs.run_id
