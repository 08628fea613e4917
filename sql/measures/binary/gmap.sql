-- measure: GMAP
-- title: Average precision for the geometric mean over topics
-- trec_eval: gm_map
-- parameters:
--   k integer in [1, inf) = null    rank cutoff; null is the whole ranking
--   rel integer in [0, inf) = 1     least grade that counts as relevant
--   judged_only boolean = false     whether documents without a grade of 0 or more are
--                                   left out of the rankings
--   ties varchar in {rule, worst, best} = rule   order of tied documents: the tie rule's, or
--                                     the worst or the best over all orders; what is
--                                     expected has no closed form
-- definition: Average precision, raised to 0.00001 where it is less; the geometric mean of that over
--    topics.
-- reference: Robertson 2006, On GMAP and other transformations, doi:10.1145/1183614.1183630
-- differs: trec_eval keeps the logarithm per topic and does not print it; the mean is the same.
-- range: 0.00001 1
-- mean: geometric
-- example: mixed GMAP = 0.000311
select
    qrels,
    run,
    topic,
    greatest(value, 0.00001) as value
from ap(k := $k, rel := $rel, judged_only := $judged_only, ties := $ties)
