-- title: The view scores on the scale on which systems are compared
-- columns: qrels, measure, run, topic, value
--   scale      linear, or logarithmic for measures whose mean is geometric
--   compared   the value, or its logarithm where the scale is logarithmic (of 0.00001 at least)
-- definition: A difference of logarithms is the logarithm of a ratio, so that the mean over topics belongs to the mean
--     that the measure has.
-- reference: Robertson 2006, On GMAP, doi:10.1145/1183614.1183630
with scaled as (
    select
        scores.qrels,
        scores.measure,
        scores.run,
        scores.topic,
        scores.value,
        case when measures.mean = 'geometric' then 'logarithmic' else 'linear' end as scale
    from scores
    left join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
)
select *, value_on_scale(value, scale) as compared
from scaled
