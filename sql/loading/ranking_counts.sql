-- title: What the rankings of each run hold, of all runs or of those of a portion
-- columns:
--   run                name of the run
--   num_rows           documents, of topics without judgments too
--   num_topics         topics that are evaluated
--   missing_topics     those of them that the run leaves out
--   extra_topics       topics of the run without judgments
--   judged_documents   judged documents among its documents
--   duplicates         rows left out because their document stands again for the topic
with retrieved_topics as (
    select
        run_id,
        sum(num_ret) as num_rows,
        count(*) as num_topics
    from run_topics
    group by run_id
),
evaluated as (
    select
        evaluations.run_id,
        count(*) as num_topics,
        count(run_topics.run_id) as num_found
    from evaluations
    left join run_topics using (run_id, topic_id)
    group by evaluations.run_id
),
judged as (
    select
        evaluations.run_id,
        count(*) as judged_documents
    from judged_ranks
    join evaluations using (evaluation_id)
    group by evaluations.run_id
)
select
    runs.run,
    cast(coalesce(retrieved_topics.num_rows, 0) as bigint) as num_rows,
    coalesce(evaluated.num_topics, 0) as num_topics,
    coalesce(evaluated.num_topics - evaluated.num_found, 0) as missing_topics,
    coalesce(retrieved_topics.num_topics, 0) - coalesce(evaluated.num_found, 0) as extra_topics,
    coalesce(judged.judged_documents, 0) as judged_documents,
    coalesce(runs.duplicates, 0) as duplicates
from runs
left join retrieved_topics using (run_id)
left join evaluated using (run_id)
left join judged using (run_id)
