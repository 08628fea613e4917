-- title: How far each run is from a baseline: means, interval, wins and losses, effect sizes
-- parameters: baseline, tolerance, confidence
-- columns:
--   qrels           judgment set
--   measure         canonical name of the measure
--   baseline        run compared with
--   run             run compared
--   num_topics      topics that both have a value for
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
--   losses          topics where that of the baseline is
--   cohens_d        mean difference in standard deviations of the differences (d_z); null where these are 0 or unknown
--   hedges_g        the same without its bias; null for fewer than three topics too
--   superiority     share of topics where the run is better, ties by half: probability of superiority
--   note            identical (no topic differs), one topic, constant difference (all topics differ by the same); else
--                   null
-- definition: Over differences topic by topic; those up to 5e-13, and spreads up to 1e-13 of the greatest value, are
--     rounding and count as none.
-- reference: Cohen 1988; Hedges 1981, doi:10.3102/10769986006002107; Grissom and Kim 2012, Effect sizes for research
with summed as (
    select
        pairs.qrels,
        pairs.measure,
        pairs.baseline,
        pairs.run,
        pairs.scale,
        count(*) as num_topics,
        case
            when pairs.scale = 'linear' then sum(pairs.baseline_value order by pairs.topic) / count(*)
            when min(pairs.baseline_value) <= 0 then 0
            else exp(sum(ln(greatest(pairs.baseline_value, 0.00001)) order by pairs.topic) / count(*))
        end as baseline_mean,
        case
            when pairs.scale = 'linear' then sum(pairs.value order by pairs.topic) / count(*)
            when min(pairs.value) <= 0 then 0
            else exp(sum(ln(greatest(pairs.value, 0.00001)) order by pairs.topic) / count(*))
        end as mean,
        sum(pairs.difference order by pairs.topic) / count(*) as difference,
        stddev_samp(pairs.difference order by pairs.topic) as deviation,
        max(pairs.difference) - min(pairs.difference) as spread,
        max(greatest(abs(pairs.baseline_value), abs(pairs.value))) as greatest_value,
        count(case when round(pairs.difference, 12) <> 0 then 1 end) as num_differing,
        count(case when round(pairs.difference, 12) > cast($tolerance as double) then 1 end) as wins,
        count(case when round(pairs.difference, 12) < -cast($tolerance as double) then 1 end) as losses
    from paired_differences(baseline := $baseline) as pairs
    group by pairs.qrels, pairs.measure, pairs.baseline, pairs.run, pairs.scale
),
noted as (
    select
        summed.*,
        case
            when summed.num_topics = 1 then null
            when summed.spread <= 1e-13 * summed.greatest_value or summed.num_differing = 0 then 0
            else summed.deviation
        end as true_deviation,
        case
            when summed.num_differing = 0 then 'identical'
            when summed.num_topics = 1 then 'one topic'
            when summed.spread <= 1e-13 * summed.greatest_value then 'constant difference'
        end as note
    from summed
),
quantiles as (
    -- A quantile takes long; each is found once for the usual numbers of topics.
    select
        cast(sizes.df as bigint) as df,
        student_quantile(0.5 + $confidence / 2, sizes.df) as quantile
    from range(1, 200) as sizes(df)
),
measured as (
    select
        noted.*,
        case
            when noted.num_topics > 1
                then coalesce(quantiles.quantile, student_quantile(0.5 + $confidence / 2, noted.num_topics - 1))
        end * noted.true_deviation / sqrt(noted.num_topics) as width
    from noted
    left join quantiles on quantiles.df = noted.num_topics - 1
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
    measured.true_deviation as deviation,
    measured.difference - measured.width as low,
    measured.difference + measured.width as high,
    measured.wins,
    measured.num_topics - measured.wins - measured.losses as ties,
    measured.losses,
    measured.difference / nullif(measured.true_deviation, 0) as cohens_d,
    case
        when measured.num_topics > 2
            then measured.difference / nullif(measured.true_deviation, 0) * hedges_correction(measured.num_topics - 1)
    end as hedges_g,
    (measured.wins + (measured.num_topics - measured.wins - measured.losses) / 2) / measured.num_topics as superiority,
    measured.note
from measured
