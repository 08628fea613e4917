-- title: Costs of runs that are held and of which others are staged
-- inputs: staged_keys
-- columns: run_id
--   cost   what the number is
--   run    name of the run
with named as (
    select distinct
        run_id,
        cost,
        run
    from staged_keys
)
select distinct
    named.run_id,
    named.cost,
    named.run
from named
join costs using (run_id, cost)
