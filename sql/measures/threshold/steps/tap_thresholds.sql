-- title: The threshold at which TAP cuts all rankings of a run
-- crosses: topics
-- parameters: k, rel, quantile, weighted, threshold
--   k integer in [1, inf) = 5                false positives that a topic must have
--   threshold double in (-inf, inf) = null   a threshold on the scale of the run's scores; null takes it from k and the
--                                            quantile
-- columns: qrels_id, run_id
--   k                  false positives
--   reached            whether topics with the quantile of all weight have k false positives; false if the threshold
--                      is given
--   comparison_score   the threshold as the tie rule compares it; less than any score if it is not reached
with shown as (
    -- At each candidate the weight of the topics that have k false positives there. A topic without a candidate counts
    -- in the total weight alone.
    select
        weights.qrels_id,
        weights.run_id,
        given_values.value as k,
        candidates.comparison_score,
        sum(weights.weight) over (
            partition by weights.qrels_id, weights.run_id, given_values.value
            order by candidates.comparison_score desc nulls last
        ) as weight_shown,
        sum(weights.weight) over (
            partition by weights.qrels_id, weights.run_id, given_values.value
        ) as total_weight
    from evaluated_weights(weighted := $weighted) as weights
    cross join given_values(given := $k) as given_values
    left join tap_candidates(k := $k, rel := $rel) as candidates
        on candidates.evaluation_id = weights.evaluation_id
        and candidates.k = given_values.value
        and $threshold is null
),
strictest as (
    -- The factor forgives products that are rounded up: 0.28 times 50 is more than 14, and 14 of 50 topics are enough.
    select
        qrels_id,
        run_id,
        shown.k,
        max(case when weight_shown >= $quantile * total_weight * (1 - 1e-12) then comparison_score end)
            as comparison_score
    from shown
    group by qrels_id, run_id, shown.k
)
select
    strictest.qrels_id,
    strictest.run_id,
    strictest.k,
    strictest.comparison_score is not null as reached,
    case
        when $threshold is not null then comparison_score($threshold, runs.tie_rule, runs.lower_is_better)
        else coalesce(strictest.comparison_score, -1.7976931348623157e308)
    end as comparison_score
from strictest
join runs on runs.run_id = strictest.run_id
