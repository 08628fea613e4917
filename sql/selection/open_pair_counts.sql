-- title: Of how many pairs of runs the order is open, since documents that nobody judged decide it
-- inputs: hole_effects, hole_pairs
-- columns: measure
--   num_pairs   pairs of runs with different means, of all judgment sets
--   num_open    those whose order is open
--   basis       documents or intervals, as hole_pairs says; null where no order is open
with ordered as (
    select
        upper_run.measure,
        count(*) as num_pairs
    from hole_effects as upper_run
    join hole_effects as lower_run
        on lower_run.qrels = upper_run.qrels
        and lower_run.measure = upper_run.measure
        and lower_run.value < upper_run.value - 1e-12
    group by upper_run.measure
),
undecided as (
    select
        measure,
        count(*) as num_open,
        min(basis) as basis
    from hole_pairs
    group by measure
)
select
    ordered.measure,
    ordered.num_pairs,
    coalesce(undecided.num_open, 0) as num_open,
    undecided.basis
from ordered
left join undecided using (measure)
