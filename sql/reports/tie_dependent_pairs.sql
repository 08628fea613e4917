-- title: Pairs of runs whose order by a measure depends on the order of tied documents
-- inputs: tie_effects
-- columns: qrels, measure
--   run         run with the higher mean
--   value       its mean
--   least       its least mean over all orders of tied documents
--   other_run   run with the lower mean
--   other       its mean
--   greatest    its greatest mean over all orders of tied documents
with ranges as (
    -- A run whose worst or best mean is not known is in no pair.
    select
        qrels,
        measure,
        run,
        value,
        least(worst, best) as low,
        greatest(worst, best) as high
    from tie_effects
    where
        worst is not null
        and best is not null
)
select
    upper_run.qrels,
    upper_run.measure,
    upper_run.run,
    upper_run.value,
    upper_run.low as least,
    lower_run.run as other_run,
    lower_run.value as other,
    lower_run.high as greatest
from ranges as upper_run
join ranges as lower_run
    on lower_run.qrels = upper_run.qrels
    and lower_run.measure = upper_run.measure
    and lower_run.value < upper_run.value
    and lower_run.high > upper_run.low
