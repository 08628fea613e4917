-- title: Pairs of runs whose order by a measure depends on documents that nobody judged
-- inputs: hole_effects, hole_differences
-- columns: qrels, measure
--   run                   run with the higher mean
--   value                 its mean
--   other_run             run with the lower mean
--   other                 its mean
--   least_difference      the least that the first mean may be above the second; 0 or less, since their order is open
--   greatest_difference   the greatest
--   basis                 documents: exact, each document having one grade for both runs; or intervals: the least mean
--                         of one less the greatest of the other, so that the order may be surer than it says
--   fewest                if the basis is documents, the fewest judgments that settle the order where each finds a
--                         document not relevant, as the means take it to be; if it is intervals, null
--   most                  if the basis is documents, all holes that move the difference: judging these settles the order
--                         in any case; if it is intervals, the holes of both runs without what is unseen, shared ones
--                         twice
with pairs as (
    select
        upper_run.qrels,
        upper_run.measure,
        upper_run.run,
        upper_run.value,
        lower_run.run as other_run,
        lower_run.value as other,
        coalesce(joint.least_difference, upper_run.least - lower_run.greatest) as least_difference,
        coalesce(joint.greatest_difference, upper_run.greatest - lower_run.least) as greatest_difference,
        case when joint.run is null then 'intervals' else 'documents' end as basis,
        joint.fewest,
        coalesce(joint.most, upper_run.num_holes + lower_run.num_holes) as most
    from hole_effects as upper_run
    join hole_effects as lower_run
        on lower_run.qrels = upper_run.qrels
        and lower_run.measure = upper_run.measure
        and lower_run.value < upper_run.value - 1e-12
    left join hole_differences as joint
        on joint.qrels = upper_run.qrels
        and joint.measure = upper_run.measure
        and joint.run = upper_run.run
        and joint.other_run = lower_run.run
)
select
    qrels,
    measure,
    run,
    value,
    other_run,
    other,
    -- What differs from 0 by rounding is 0.
    case when abs(least_difference) <= 1e-12 then 0 else least_difference end as least_difference,
    greatest_difference,
    basis,
    fewest,
    most
from pairs
where least_difference <= 1e-12
