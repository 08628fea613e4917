-- title: How far each run's mean depends on documents that nobody judged
-- inputs: hole_means, hole_totals
-- columns:
--   qrels        judgment set
--   run          run
--   measure      canonical name of the measure
--   value        mean by the judgments as they are
--   least        least mean over all grades that unjudged documents may have; null where not known for every topic
--   greatest     greatest mean; null where not known for every topic
--   num_holes    unjudged documents that the run has down to the cutoff, over all topics
--   num_unseen   other unjudged documents that count in the bounds, over all topics
with means as (
    select
        qrels,
        run,
        measure,
        max(value) filter (where ties = 'rule') as value,
        max(value) filter (where ties = 'least') as least,
        max(value) filter (where ties = 'greatest') as greatest
    from hole_means
    group by qrels, run, measure
)
select
    means.qrels,
    means.run,
    means.measure,
    means.value,
    means.least,
    means.greatest,
    hole_totals.num_holes,
    hole_totals.num_unseen
from means
join hole_totals
    on hole_totals.qrels = means.qrels
    and hole_totals.run = means.run
    and hole_totals.measure = means.measure
