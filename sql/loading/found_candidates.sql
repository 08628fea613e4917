-- title: What all portions of a run have found, in the place of tap_candidates
-- parameters: k, rel, weighted
--   k integer in [1, inf) = 5   false positives that a topic must have
-- columns: qrels_id, run_id
--   k                  false positives
--   weight             weight of the topics with this candidate
--   comparison_score   the candidate as the tie rule compares it; null for the topics without one
select
    qrels.qrels_id,
    handed_in.run_id,
    handed_in.k,
    handed_in.weight,
    handed_in.comparison_score
from handed_in
cross join qrels
where
    handed_in.k in (select given_values.value from given_values(given := $k) as given_values)
    and handed_in.rel = $rel
    and handed_in.weighted = $weighted
