-- title: How many evaluations the judgment set has that has the fewest of those chosen, and how deep the rankings go
-- inputs: chosen
-- columns:
--   num_evaluations   evaluations; 0 where none is chosen
--   deepest           documents of the longest ranking; 0 likewise
with counted as (
    select
        count(*) as num_evaluations,
        max(num_ret) as deepest
    from chosen
    group by qrels
)
select
    coalesce(min(num_evaluations), 0) as num_evaluations,
    coalesce(max(deepest), 0) as deepest
from counted
