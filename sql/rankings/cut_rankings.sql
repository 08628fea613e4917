-- title: What is left of each ranking when its run is cut at a score
-- parameters:
--   k integer in [1, inf) = 5            false positives that a topic must show before the run is cut
--   rel integer in [0, inf) = 1          least grade that counts as relevant
--   quantile double in (0, 1] = 0.5      share of the topics, by weight, that must show them
--   weighted boolean = true              whether the weights of topics count
--   threshold double in (-inf, inf) = null   score at which to cut, whatever the false positives
-- columns:
--   evaluation_id     key of the evaluation; those of which nothing is left are not here
--   qrels_id          key of the judgment set
--   run_id            key of the run
--   topic_id          key of the topic
--   num_kept          documents kept
--   strength          strength of the weakest document kept in the run, or the least that is kept
--   weakest           score of the weakest document kept, as it stood in the file
--   lower_is_better   whether a smaller score is the better one
--   with_ties         whether the run's tie rule knows ties; then the documents kept are the first ones
--   reached           whether enough topics show k false positives; null where the score was given
with kept as (
    select
        evaluations.evaluation_id,
        evaluations.qrels_id,
        evaluations.run_id,
        evaluations.topic_id,
        thresholds.strength,
        thresholds.reached,
        count(*) as num_kept,
        min(scored.score) as least,
        max(scored.score) as greatest
    from score_thresholds(
        k := $k,
        rel := $rel,
        quantile := $quantile,
        weighted := $weighted,
        threshold := $threshold
    ) as thresholds
    join evaluations
        on evaluations.qrels_id = thresholds.qrels_id
        and evaluations.run_id = thresholds.run_id
    join scored
        on scored.run_id = evaluations.run_id
        and scored.topic_id = evaluations.topic_id
        and scored.strength >= thresholds.strength
    group by
        evaluations.evaluation_id,
        evaluations.qrels_id,
        evaluations.run_id,
        evaluations.topic_id,
        thresholds.strength,
        thresholds.reached
)
select
    kept.evaluation_id as evaluation_id,
    kept.qrels_id as qrels_id,
    kept.run_id as run_id,
    kept.topic_id as topic_id,
    kept.num_kept as num_kept,
    kept.strength as strength,
    case when runs.lower_is_better then kept.greatest else kept.least end as weakest,
    runs.lower_is_better as lower_is_better,
    runs.tie_rule in ('trec_eval', 'trec_eval_10') as with_ties,
    kept.reached as reached
from kept
join runs on runs.run_id = kept.run_id
