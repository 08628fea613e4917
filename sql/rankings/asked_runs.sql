-- title: The runs that are asked for: all, or those that the session variable only_runs names
-- columns: run_id, run
with named as (
    select
        coalesce(
            runs.run_id,
            cast(error('only_runs names ' || asked.run || ', and no run is called so') as integer)
        ) as run_id,
        asked.run
    from (select distinct unnest(cast(getvariable('only_runs') as varchar[])) as run) as asked
    left join runs using (run)
)
-- The choice is made before anything is planned, so that whoever sets no variable pays nothing for it.
select
    run_id,
    run
from query_table(case when getvariable('only_runs') is null then 'runs' else 'named' end)
