-- title: The threshold that was found over all topics of a run, in the place of tap_thresholds
-- parameters: k, rel, quantile, weighted
--   k integer in [1, inf) = 5   false positives that a topic must have
-- columns: qrels_id, run_id
--   k                  false positives
--   comparison_score   the threshold as the tie rule compares it; null where it is not reached
select distinct
    qrels.qrels_id,
    handed_in.run_id,
    handed_in.k,
    handed_in.comparison_score
from handed_in
cross join qrels
where
    handed_in.k in (select given_values.value from given_values(given := $k) as given_values)
    and handed_in.rel = $rel
    and handed_in.quantile = $quantile
    and handed_in.weighted = $weighted
