-- title: What is left of each ranking when its run is cut at a score
-- parameters: k, rel, quantile, weighted, threshold
--   k integer in [1, inf) = 5            false positives that a topic must show before the run is cut
--   threshold double in (-inf, inf) = null   score at which to cut, whatever the false positives
-- columns:
--   evaluation_id     key of the evaluation; those of which nothing is left are not here
--   qrels_id          key of the judgment set
--   run_id            key of the run
--   topic_id          key of the topic
--   num_kept          documents kept
--   comparison_score          strength of the weakest document kept in the run, or the least that is kept; the lowest
--                     number there is where all is kept, too few topics showing k false positives
--   weakest           score of the weakest document kept, as it stood in the file
--   lower_is_better   whether a smaller score is the better one
--   with_ties         whether the run's tie rule knows ties; then the documents kept are the first ones
--   reached           whether enough topics show k false positives; null where the score was given
with cuts as (
    select
        qrels_id,
        run_id,
        comparison_score,
        reached,
        tie_rule,
        lower_is_better,
        -- No lower score is as strong: to be rounded to 32 bits moves it by less than a ten millionth.
        case
            when abs(comparison_score) < 3.4e38 then comparison_score - abs(comparison_score) * 1e-7 - 1e-44
            when comparison_score > 0 then 3.4e38
            else -1.7976931348623157e308
        end as least_score
    from score_thresholds(
        k := $k,
        rel := $rel,
        quantile := $quantile,
        weighted := $weighted,
        threshold := $threshold
    )
),
ranges as (
    select
        qrels_id,
        run_id,
        comparison_score,
        tie_rule,
        lower_is_better,
        case when lower_is_better then -1.7976931348623157e308 else least_score end as lowest,
        case when lower_is_better then -least_score else 1.7976931348623157e308 end as highest
    from cuts
),
near as (
    -- All that is retrieved is looked at, so scores are compared as they stand first; few are left to be rounded.
    select
        ranges.qrels_id,
        ranges.run_id,
        retrieved.topic_id,
        retrieved.score,
        ranges.comparison_score as least_strength,
        ranges.tie_rule,
        ranges.lower_is_better
    from retrieved
    join ranges on ranges.run_id = retrieved.run_id
    where
        retrieved.score >= ranges.lowest
        and retrieved.score <= ranges.highest
),
kept as (
    select
        qrels_id,
        run_id,
        topic_id,
        count(*) as num_kept,
        min(score) as least,
        max(score) as greatest
    from near
    where comparison_score(score, tie_rule, lower_is_better) >= least_strength
    group by qrels_id, run_id, topic_id
)
select
    evaluations.evaluation_id as evaluation_id,
    evaluations.qrels_id as qrels_id,
    evaluations.run_id as run_id,
    evaluations.topic_id as topic_id,
    kept.num_kept as num_kept,
    cuts.comparison_score as comparison_score,
    case when cuts.lower_is_better then kept.greatest else kept.least end as weakest,
    cuts.lower_is_better as lower_is_better,
    cuts.tie_rule in ('trec_eval', 'trec_eval_10') as with_ties,
    cuts.reached as reached
from kept
join evaluations
    on evaluations.qrels_id = kept.qrels_id
    and evaluations.run_id = kept.run_id
    and evaluations.topic_id = kept.topic_id
join cuts
    on cuts.qrels_id = kept.qrels_id
    and cuts.run_id = kept.run_id
