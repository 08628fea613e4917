-- title: Runs against a baseline or in all pairs: differences, intervals, p values, corrections, wins and losses
-- parameters: baseline, test, correction, family, tolerance, confidence, intervals, samples, seed, runs
--   correction varchar in {holm, bonferroni, benjamini_hochberg, benjamini_yekutieli, none} = holm   for several tests
--   intervals varchar in {t, percentile, bca} = t   Student's t, or quantiles of resampled differences: as they are, or
--                             corrected for bias and acceleration (bootstrap_intervals)
-- columns: qrels, measure, baseline, run, num_topics
--   baseline_mean   mean of the baseline, geometric on the logarithmic scale; every topic weighs the same
--   mean            mean of the run
--   difference      mean difference; for measures with a geometric mean the logarithm of the ratio of the means
--   low             lower end of the interval for the mean difference; null for one topic
--   high            upper end
--   p               two-sided p value as it is
--   p_corrected     p value corrected for the number of tests; with tukey p itself, which covers all pairs of a measure
--   num_tests       tests corrected together
--   wins            topics where the value of the run is greater
--   ties            topics where they differ by the tolerance at most
--   losses          topics where the value of the baseline is greater
--   note            what there is to say of the test, such as identical, one topic; else null
-- definition: The rows of differences beside those of corrected_p_values. Topics weigh the same also where the
--     judgment set has weights for them, which the view summary and a leaderboard follow for measures such as TAP; and
--     counts are averaged, where these have the sum.
with scores as (
    -- The values are evaluated once: the relations called below read them by this name.
    select * from scores
),
t as (
    select * from differences(baseline := $baseline, tolerance := $tolerance, confidence := $confidence)
),
drawn as (
    select *
    from bootstrap_intervals(
        baseline := $baseline,
        samples := $samples,
        seed := $seed,
        confidence := $confidence
    )
    where num_topics > 1
),
percentile as (
    select t.* replace (drawn.percentile_low as low, drawn.percentile_high as high)
    from t
    left join drawn using (qrels, measure, baseline, run)
),
bca as (
    select t.* replace (drawn.bca_low as low, drawn.bca_high as high)
    from t
    left join drawn using (qrels, measure, baseline, run)
)
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    found.num_topics,
    found.baseline_mean,
    found.mean,
    found.difference,
    found.low,
    found.high,
    tested.p,
    case
        when $test = 'tukey' or $correction = 'none' then tested.p
        when $correction = 'holm' then tested.holm
        when $correction = 'bonferroni' then tested.bonferroni
        when $correction = 'benjamini_hochberg' then tested.benjamini_hochberg
        when $correction = 'benjamini_yekutieli' then tested.benjamini_yekutieli
    end as p_corrected,
    tested.num_tests,
    found.wins,
    found.ties,
    found.losses,
    tested.note
from query_table($intervals) as found
join corrected_p_values(
    baseline := $baseline,
    test := $test,
    family := $family,
    tolerance := $tolerance,
    samples := $samples,
    seed := $seed,
    runs := $runs
) as tested using (qrels, measure, baseline, run)
