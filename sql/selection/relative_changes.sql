-- title: The change of each mean relative to that of a baseline, in percent
-- inputs: pairs
-- parameters:
--   baseline varchar = ''   run that changes are relative to
-- columns: qrels, measure, run
--   change   difference of the means in percent of the baseline's, without its sign; null where that is 0
-- definition: Of compared pairs, whichever of the two is the baseline.
with beside as (
    select
        qrels,
        measure,
        run,
        baseline_mean,
        mean
    from pairs
    where baseline = $baseline
    union all
    select
        qrels,
        measure,
        baseline as run,
        mean as baseline_mean,
        baseline_mean as mean
    from pairs
    where run = $baseline
)
select
    qrels,
    measure,
    run,
    100 * (mean - baseline_mean) / nullif(abs(baseline_mean), 0) as change
from beside
