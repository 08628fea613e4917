-- title: Runs whose values of measures are audited: all, or as many as have so many documents together
-- parameters:
--   most integer in [1, inf) = 1000000   documents retrieved by the runs before the last one that is taken
-- columns: run_id
--   run   its name
-- definition: Runs are taken from all over the order in which they were loaded: every thirteenth, then those after
--    these, and so on.
with sizes as (
    select
        runs.run_id,
        runs.run,
        coalesce(sum(run_topics.num_ret), 0) as num_ret
    from runs
    left join run_topics using (run_id)
    group by runs.run_id, runs.run
),
cumulated as (
    select
        run_id,
        run,
        sum(num_ret) over (
            order by run_id % 13, run_id
            rows between unbounded preceding and current row
        ) - num_ret as num_before
    from sizes
)
select
    run_id,
    run
from cumulated
where num_before < $most
