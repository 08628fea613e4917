-- title: The documents that are left of each ranking when its run is cut at a score
-- parameters:
--   k integer in [1, inf) = 5            false positives that a topic must show before the run is cut
--   rel integer in [0, inf) = 1          least grade that counts as relevant
--   quantile double in (0, 1] = 0.5      share of the topics, by weight, that must show them
--   weighted boolean = true              whether the weights of topics count
--   threshold double in (-inf, inf) = null   score at which to cut, whatever the false positives
-- columns:
--   evaluation_id     key of the evaluation
--   qrels_id          key of the judgment set
--   run_id            key of the run
--   rank              place in the ranking
--   kept_rank         place among those kept
--   score             score as it stood in the file
--   lower_is_better   whether a smaller score is the better one
--   with_ties         whether the run's tie rule knows ties
--   reached           whether enough topics show k false positives; null where the score was given
with kept as (
    select
        evaluations.evaluation_id,
        evaluations.qrels_id,
        evaluations.run_id,
        scored.rank,
        scored.score,
        runs.lower_is_better,
        runs.tie_rule in ('trec_eval', 'trec_eval_10') as with_ties,
        thresholds.reached
    from score_thresholds(
        k := $k,
        rel := $rel,
        quantile := $quantile,
        weighted := $weighted,
        threshold := $threshold
    ) as thresholds
    join runs on runs.run_id = thresholds.run_id
    join evaluations
        on evaluations.qrels_id = thresholds.qrels_id
        and evaluations.run_id = thresholds.run_id
    join scored
        on scored.run_id = evaluations.run_id
        and scored.topic_id = evaluations.topic_id
        and scored.strength >= thresholds.strength
)
-- Under rules that know ties a ranking is in the order of its scores, and what is kept is its top.
select
    evaluation_id,
    qrels_id,
    run_id,
    rank,
    rank as kept_rank,
    score,
    lower_is_better,
    with_ties,
    reached
from kept
where with_ties
union all
select
    evaluation_id,
    qrels_id,
    run_id,
    rank,
    row_number() over (
        partition by evaluation_id
        order by rank
    ) as kept_rank,
    score,
    lower_is_better,
    with_ties,
    reached
from kept
where not with_ties
