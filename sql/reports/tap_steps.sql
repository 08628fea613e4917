-- title: The scores of a run from which TAP's share of the topics shows more false positives
-- parameters: k, rel, quantile, most
--   k integer in [1, inf) = 5            false positives that a topic must show before the run is cut
--   most integer in [0, inf) = 25        false positives up to which steps are given
-- columns: qrels, run
--   threshold         first score of the run at which so many are shown
--   false_positives   the greatest number that the share of the topics shows there; no more than most or k are counted
--   is_chosen         whether TAP cuts the run there
with numbered as (
    select
        curve.qrels,
        curve.run,
        runs.run_id,
        runs.lower_is_better,
        comparison_score(curve.threshold, runs.tie_rule, runs.lower_is_better) as comparison_score,
        curve.threshold,
        curve.false_positives,
        curve.is_chosen,
        row_number() over (
            partition by curve.qrels, curve.run, curve.false_positives
            order by case when runs.lower_is_better then curve.threshold else -curve.threshold end
        ) as number
    from tap_curve(k := $k, rel := $rel, quantile := $quantile, most := $most) as curve
    join runs on runs.run = curve.run
    where
        curve.false_positives <= $most
        or curve.is_chosen
),
steps as (
    select *
    from numbered
    where
        number = 1
        or is_chosen
),
single_scores as (
    select
        run_id,
        topic_id,
        score,
        cast(least(greatest(score, -3.4e38), 3.4e38) as float) as single_score
    from asked_retrieved()
    where run_id in (select run_id from steps)
),
weakest as (
    -- Scores that are equal as 32-bit floats may stand further down than the curve is followed.
    select
        steps.qrels,
        steps.run,
        steps.comparison_score,
        case
            when min(case when steps.lower_is_better then 1 else 0 end) = 1 then max(single_scores.score)
            else min(single_scores.score)
        end as score
    from steps
    join runs using (run_id)
    join evaluated_topics
        on evaluated_topics.run = steps.run
        and evaluated_topics.qrels = steps.qrels
    join single_scores
        on single_scores.run_id = evaluated_topics.run_id
        and single_scores.topic_id = evaluated_topics.topic_id
        and single_scores.single_score = cast(least(greatest(steps.threshold, -3.4e38), 3.4e38) as float)
    where runs.tie_rule = 'trec_eval'
    group by steps.qrels, steps.run, steps.comparison_score
)
select
    steps.qrels,
    steps.run,
    coalesce(weakest.score, steps.threshold) as threshold,
    steps.false_positives,
    steps.is_chosen
from steps
left join weakest
    on weakest.qrels = steps.qrels
    and weakest.run = steps.run
    and weakest.comparison_score = steps.comparison_score
