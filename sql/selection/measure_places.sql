-- title: The place of each system by each measure, within each judgment set
-- inputs: means, drawn_runs
-- columns: qrels
--   measure    measure
--   run        run
--   value      its mean
--   place      1 for the best; systems with equal means share the better place
--   position   place among those that are drawn, where each has one of its own
with placed as (
    select
        qrels,
        measure,
        run,
        value,
        rank() over (
            partition by qrels, measure
            order by case when less_is_better then value else -value end nulls last
        ) as place
    from means
)
select
    placed.qrels,
    placed.measure,
    placed.run,
    placed.value,
    placed.place,
    row_number() over (
        partition by placed.qrels, placed.measure
        order by placed.place, placed.run
    ) as position
from placed
join drawn_runs using (run)
