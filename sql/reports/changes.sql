-- title: Topics on which a load of a system has another value than the load before; rank_changes has documents of two runs
-- columns: qrels, system, measure
--   run_before     run before
--   run            run
--   dated_at       date of the run, in UTC
--   topic          topic
--   value_before   value of the run before
--   value          value of the run
--   difference     value less that of the run before
-- definition: Differences up to 5e-13 are rounding and none.
with followed as (
    select
        scores.qrels,
        run_versions.system,
        scores.measure,
        lag(scores.run) over loaded as run_before,
        scores.run,
        run_versions.dated_at,
        scores.topic,
        lag(scores.value) over loaded as value_before,
        scores.value
    from scores
    join run_versions using (run)
    where run_versions.system is not null
    window loaded as (
        partition by scores.qrels, run_versions.system, scores.measure, scores.topic
        order by run_versions.dated_at, run_versions.run_id
    )
)
select
    qrels,
    system,
    measure,
    run_before,
    run,
    dated_at,
    topic,
    value_before,
    value,
    value - value_before as difference
from followed
where round(value - value_before, 12) <> 0
