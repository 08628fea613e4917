-- title: Runs by a list of their names, in its order, with their weights; an error where no run is called so
-- parameters: runs, weights
-- columns:
--   place             place in the list, from 1
--   run_id            key of the run
--   run               run
--   lower_is_better   whether a smaller score is the better one
--   weight            its weight
with unknown as (
    select min(asked.run) as run
    from (select unnest(string_split($runs, ',')) as run) as asked
    left join runs as loaded on contains(',' || loaded.run || ',', ',' || asked.run || ',')  -- names may have commas
    where loaded.run is null
)
select
    held.place,
    held.run_id,
    held.run,
    held.lower_is_better,
    coalesce(cast(trim(string_split($weights, ',')[held.place]) as double), 1) as weight
from unknown
left join named_runs(runs := $runs) as held on true
where
    case
        when unknown.run is not null then error('runs names ' || unknown.run || ', and no run is called so')
        else held.run is not null
    end
