-- title: How many documents of each ranking TAP keeps, those with the threshold's score or a better one
-- parameters: k, rel, quantile, weighted, threshold
--   k integer in [1, inf) = 5                false positives that a topic must have
--   threshold double in (-inf, inf) = null   a threshold on the scale of the run's scores; null takes it from k and the
--                                            quantile
-- columns: evaluation_id, run_id, topic_id
--   k                  false positives
--   reached            whether topics with the quantile of all weight have k false positives
--   comparison_score   the threshold as the tie rule compares it; less than any score if it is not reached
--   num_kept           documents kept, including all tied at the threshold
--   worst_score        the worst score that is kept in any of the run's rankings, as it stood in the file
with thresholds as (
    select
        runs.run_id,
        chosen.qrels_id,
        chosen.k,
        chosen.comparison_score is not null as reached,
        case
            when $threshold is not null then comparison_score($threshold, runs.tie_rule, runs.lower_is_better)
            else coalesce(chosen.comparison_score, -1.7976931348623157e308)
        end as comparison_score
    from tap_thresholds(k := $k, rel := $rel, quantile := $quantile, weighted := $weighted) as chosen
    join runs using (run_id)
),
least_scores as (
    -- To round each score to 32 bits takes longer than to compare it, and moves it by less than a ten millionth, or
    -- from beyond 3.4e38 to infinity. What is below this bound is kept by none of the run's thresholds.
    select
        run_id,
        min(
            case
                when comparison_score <= -3.4e38 then -1.7976931348623157e308
                else least(comparison_score, 3.4e38) - abs(comparison_score) * 1e-7 - 1e-44
            end
        ) as least_score
    from thresholds
    group by run_id
),
passing as (
    -- Where lower scores are better the sign is changed, so that higher ones always are.
    select
        retrieved.run_id,
        retrieved.topic_id,
        case when runs.lower_is_better then -retrieved.score else retrieved.score end as signed_score,
        comparison_score(retrieved.score, runs.tie_rule, runs.lower_is_better) as comparison_score
    from least_scores
    join runs using (run_id)
    join asked_retrieved() as retrieved using (run_id)
    where case when runs.lower_is_better then -retrieved.score else retrieved.score end >= least_scores.least_score
),
cuts as (
    select
        evaluations.evaluation_id,
        evaluations.run_id,
        evaluations.topic_id,
        evaluations.qrels_id,
        thresholds.k,
        thresholds.reached,
        thresholds.comparison_score
    from asked_evaluations() as evaluations
    join thresholds using (qrels_id, run_id)
),
counts as (
    select
        cuts.evaluation_id,
        cuts.k,
        count(*) as num_kept,
        min(passing.signed_score) as worst_score
    from cuts
    join passing
        on passing.run_id = cuts.run_id
        and passing.topic_id = cuts.topic_id
        and passing.comparison_score >= cuts.comparison_score
    group by cuts.evaluation_id, cuts.k
)
select
    cuts.evaluation_id,
    cuts.run_id,
    cuts.topic_id,
    cuts.k,
    cuts.reached,
    cuts.comparison_score,
    coalesce(counts.num_kept, 0) as num_kept,
    case when runs.lower_is_better then -1 else 1 end
        * min(counts.worst_score) over (partition by cuts.qrels_id, cuts.run_id, cuts.k) as worst_score
from cuts
join runs using (run_id)
left join counts
    on counts.evaluation_id = cuts.evaluation_id
    and counts.k = cuts.k
