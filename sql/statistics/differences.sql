-- title: How far each run is from a baseline: means, interval, wins and losses, effect sizes
-- parameters: baseline, tolerance, confidence
-- columns: qrels, measure, baseline, run, num_topics
--   baseline_mean   mean of the baseline, geometric on the logarithmic scale (0 where a value is); every topic weighs
--                   the same
--   mean            mean of the run
--   scale           linear, or logarithmic for measures whose mean is geometric
--   difference      mean difference; on the logarithmic scale the logarithm of the ratio of the means
--   deviation       standard deviation of the differences; null for one topic, 0 where all differ by the same
--   low             lower end of the interval of Student's t for the mean difference; null for one topic
--   high            upper end
--   wins            topics where the value of the run is greater
--   ties            topics where they differ by the tolerance at most
--   losses          topics where the value of the baseline is greater
--   cohens_d        mean difference in standard deviations of the differences (d_z); null where these are 0 or unknown
--   hedges_g        the same without its bias; null for fewer than three topics too
--   superiority     share of topics where the run is better, ties by half: probability of superiority
--   note            identical (no topic differs), one topic, constant difference (all topics differ by the same); else
--                   null
-- definition: The rows of summed_differences, with Student's interval of the mean and effect sizes.
-- reference: Cohen 1988; Hedges 1981, doi:10.3102/10769986006002107; Grissom and Kim 2012, Effect sizes for research
with sized as (
    -- A quantile takes long: it is computed once for each number of topics.
    select
        summed.*,
        case
            when summed.num_topics > 1 and row_number() over like_it = 1
                then student_quantile(0.5 + $confidence / 2, summed.num_topics - 1)
        end as quantile
    from summed_differences(baseline := $baseline, tolerance := $tolerance) as summed
    window like_it as (partition by summed.measure, summed.num_topics)
),
measured as (
    select
        *,
        max(quantile) over (partition by measure, num_topics) * deviation / sqrt(num_topics) as width
    from sized
)
select
    measured.qrels,
    measured.measure,
    measured.baseline,
    measured.run,
    measured.num_topics,
    measured.baseline_mean,
    measured.mean,
    measured.scale,
    measured.difference,
    measured.deviation,
    measured.difference - measured.width as low,
    measured.difference + measured.width as high,
    measured.wins,
    measured.ties,
    measured.losses,
    measured.difference / nullif(measured.deviation, 0) as cohens_d,
    case
        when measured.num_topics > 2
            then measured.difference / nullif(measured.deviation, 0) * hedges_correction(measured.num_topics - 1)
    end as hedges_g,
    (measured.wins + measured.ties / 2) / measured.num_topics as superiority,
    measured.note
from measured
