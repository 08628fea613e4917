-- title: How many evaluations the judgment set has that has the fewest of those chosen
-- inputs: chosen
-- columns:
--   num_evaluations   evaluations; 0 where none is chosen
with counted as (
    select count(*) as num_evaluations
    from chosen
    group by qrels
)
select coalesce(min(num_evaluations), 0) as num_evaluations
from counted
