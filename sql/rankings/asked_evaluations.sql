-- title: The rows of evaluations for the runs that are asked for
-- columns: evaluation_id, qrels_id, run_id, topic_id
with named as (
    select *
    from evaluations
    where run_id in (select run_id from asked_runs())
)
select *
from query_table(case when getvariable('only_runs') is null then 'evaluations' else 'named' end)
