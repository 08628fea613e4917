-- measure: GMAP
-- title: Average precision for the geometric mean over topics
-- trec_eval: gm_map
-- parameters: k, rel, judged_only, ties in {rule, worst, best}
-- definition: Average precision, raised to 0.00001 where it is less; the geometric mean of that over
--    topics.
-- reference: Robertson 2006, On GMAP and other transformations, doi:10.1145/1183614.1183630
-- differs: trec_eval keeps the logarithm per topic and does not print it; the mean is the same.
-- range: 0.00001 1
-- mean: geometric
-- holes: gmap_bounds
-- example: mixed GMAP = 0.000311
select
    average_precisions.qrels,
    average_precisions.run,
    average_precisions.topic,
    average_precisions.k,
    greatest(average_precisions.value, 0.00001) as value
from ap(k := $k, rel := $rel, judged_only := $judged_only, ties := $ties) as average_precisions
