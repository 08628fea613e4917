-- title: Costs of runs that are held and of which others are staged
-- inputs: staged_keys
-- columns:
--   run_id   key of the run
--   cost     what the number is
--   run      name of the run
select distinct
    costs.run_id,
    costs.cost,
    staged_keys.run
from staged_keys
join costs
    on costs.run_id = staged_keys.run_id
    and costs.cost = staged_keys.cost
