-- title: The threshold of TAP for each run of which all candidates are there
-- parameters: k, rel, quantile, weighted
--   k integer in [1, inf) = 5   false positives that a topic must have
-- columns:
--   run                name of the run
--   k                  false positives
--   rel                least grade that counts as relevant
--   quantile           share of the topics, by weight, that must show k false positives
--   weighted           whether the weights of topics count
--   weight             null: one threshold cuts all topics
--   comparison_score   the threshold as the tie rule compares it; null where it is not reached
select
    portion_runs.run,
    thresholds.k,
    $rel as rel,
    cast($quantile as double) as quantile,
    $weighted as weighted,
    cast(null as double) as weight,
    thresholds.comparison_score
from tap_thresholds(k := $k, rel := $rel, quantile := $quantile, weighted := $weighted) as thresholds
join portion_runs using (run_id)
