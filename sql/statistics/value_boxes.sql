-- title: How the values of each run are spread over topics: the five numbers of a box
-- columns: qrels, measure, run
--   num_topics       topics
--   least            least value
--   lower_quartile   value below which a quarter of the topics lies
--   median           value in the middle
--   upper_quartile   value above which a quarter of the topics lies
--   greatest         greatest value
-- definition: Quantiles of the view scores over topics, between neighbours by linear interpolation.
-- reference: Hyndman and Fan 1996, Sample quantiles in statistical packages, doi:10.2307/2684934, definition 7
select
    qrels,
    measure,
    run,
    count(*) as num_topics,
    min(value) as least,
    quantile_cont(value, 0.25) as lower_quartile,
    quantile_cont(value, 0.5) as median,
    quantile_cont(value, 0.75) as upper_quartile,
    max(value) as greatest
from scores
group by qrels, measure, run
