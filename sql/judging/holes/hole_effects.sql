-- title: How far each run's mean depends on documents that nobody judged
-- inputs: answered, hole_means
-- columns: qrels, run, measure
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
),
totals as (
    select
        qrels,
        run,
        measure,
        cast(sum(num_holes) as bigint) as num_holes,
        cast(sum(num_unseen) as bigint) as num_unseen
    from answered
    where ties = 'rule'
    group by qrels, run, measure
)
select
    means.qrels,
    means.run,
    means.measure,
    means.value,
    means.least,
    means.greatest,
    totals.num_holes,
    totals.num_unseen
from means
join totals using (qrels, run, measure)
