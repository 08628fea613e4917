-- title: What is evaluated of rankings made of calls: what is of their runs
-- inputs: listed_runs
-- columns: evaluation_id, qrels_id
--   run_id     key of the ranking
--   topic_id   key of the topic
select
    cast(
        (select max(evaluation_id) from evaluations) + row_number() over (
            order by evaluations.qrels_id, listed_runs.list_id, evaluations.topic_id
        ) as integer
    ) as evaluation_id,
    evaluations.qrels_id,
    listed_runs.list_id as run_id,
    evaluations.topic_id
from listed_runs
join evaluations using (run_id)
where listed_runs.has_calls
