-- title: Runs by a list of their names, in its order, with their weights; an error where no run is called so
-- parameters: runs, weights
-- columns:
--   place             place in the list, from 1
--   run_id            key of the run
--   run               run
--   lower_is_better   whether a smaller score is the better one
--   weight            its weight
with unknown as (
    -- A row whose every column raises the error; no filter leaves it out.
    select cast(error('runs names ' || min(asked.run) || ', and no run is called so') as integer) as told
    from (select unnest(string_split($runs, ',')) as run) as asked
    left join runs as loaded on contains(',' || loaded.run || ',', ',' || asked.run || ',')  -- names may have commas
    where loaded.run is null
    having count(*) > 0
)
select
    place,
    run_id,
    run,
    lower_is_better,
    coalesce(cast(trim(string_split($weights, ',')[place]) as double), 1) as weight
from named_runs(runs := $runs)
union all
select
    told as place,
    told as run_id,
    cast(told as varchar) as run,
    cast(told as boolean) as lower_is_better,
    told as weight
from unknown
