-- title: Values as distances from the mean of a reference, in its standard deviations
-- inputs: raw_scores, measures, reference_scores
-- columns: qrels, run, topic
--   measure   name of the measure
--   value     (value - mean) / deviation; -1000000 where the reference has none, or no deviation for a value
--             other than its mean; of measures with a geometric mean the distance of the logarithm, exponentiated
-- definition: A z score: how many standard deviations of the reference a value lies from the reference's mean.
-- reference: Buckley, trec_eval, option -Z
with compared as (
    select
        raw_scores.qrels,
        raw_scores.run,
        raw_scores.topic,
        raw_scores.measure,
        measures.mean = 'geometric' as is_geometric,
        case when measures.mean = 'geometric' then ln(raw_scores.value) else raw_scores.value end as value,
        reference_scores.mean,
        reference_scores.deviation
    from raw_scores
    join measures using (measure)
    left join reference_scores
        on reference_scores.topic = raw_scores.topic
        and reference_scores.name = measures.name
),
distances as (
    select
        qrels,
        run,
        topic,
        measure,
        is_geometric,
        case
            when deviation <> 0 then (value - mean) / deviation
            when value = mean then 0
            else -1000000
        end as distance
    from compared
)
select
    qrels,
    run,
    topic,
    measure,
    case when is_geometric then exp(distance) else distance end as value
from distances
