-- title: The threshold at which TAP cuts all rankings of a run
-- definition: It takes all topics of a run, but no more of each than one candidate.
-- crosses: topics
-- parameters: k, rel, quantile, weighted
--   k integer in [1, inf) = 5   false positives that a topic must have
-- columns: qrels_id, run_id
--   k                  false positives
--   comparison_score   the threshold as the tie rule compares it; null where topics with the quantile of all weight do
--                      not have k false positives
with shown as (
    -- At each candidate the weight of the topics that have k false positives there. A topic without a candidate counts
    -- in the total weight alone.
    select
        qrels_id,
        run_id,
        candidates.k,
        comparison_score,
        sum(weight) over (
            partition by qrels_id, run_id, candidates.k
            order by comparison_score desc nulls last
        ) as weight_shown,
        sum(weight) over (
            partition by qrels_id, run_id, candidates.k
        ) as total_weight
    from tap_candidates(k := $k, rel := $rel, weighted := $weighted) as candidates
)
-- The factor forgives products that are rounded up: 0.28 times 50 is more than 14, and 14 of 50 topics are enough.
select
    qrels_id,
    run_id,
    shown.k,
    max(case when weight_shown >= $quantile * total_weight * (1 - 1e-12) then comparison_score end) as comparison_score
from shown
group by qrels_id, run_id, shown.k
