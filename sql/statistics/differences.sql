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
--   losses          topics where the value of the baseline is greater
--   cohens_d        mean difference in standard deviations of the differences (d_z); null where these are 0 or unknown
--   hedges_g        the same without its bias; null for fewer than three topics too
--   superiority     share of topics where the run is better, ties by half: probability of superiority
--   note            identical (no topic differs), one topic, constant difference (all topics differ by the same); else
--                   null
-- definition: Over differences topic by topic; those up to 5e-13, and spreads up to 1e-13 of the greatest value, are
--     rounding and count as none.
-- reference: Cohen 1988; Hedges 1981, doi:10.3102/10769986006002107; Grissom and Kim 2012, Effect sizes for research
with gathered as (
    -- Lists in the order of topics, so that no digit of their sums depends on the order of the rows. A sum with an order
    -- of its own takes DuckDB 1.5 50 kB.
    select
        pairs.qrels,
        pairs.measure,
        pairs.baseline,
        pairs.run,
        pairs.scale,
        list_sort(
            list(
                {
                    'topic': pairs.topic,
                    'baseline_value': pairs.baseline_value,
                    'run_value': pairs.value,
                    'difference': pairs.difference
                }
            )
        ) as topics,
        min(pairs.baseline_value) as least_baseline_value,
        min(pairs.value) as least_run_value,
        max(pairs.difference) - min(pairs.difference) as spread,
        max(greatest(abs(pairs.baseline_value), abs(pairs.value))) as greatest_value,
        count(case when round(pairs.difference, 12) <> 0 then 1 end) as num_differing,
        count(case when round(pairs.difference, 12) > cast($tolerance as double) then 1 end) as wins,
        count(case when round(pairs.difference, 12) < -cast($tolerance as double) then 1 end) as losses
    from paired_differences(baseline := $baseline) as pairs
    group by pairs.qrels, pairs.measure, pairs.baseline, pairs.run, pairs.scale
),
lists as (
    select
        gathered.*,
        len(gathered.topics) as num_topics,
        list_transform(gathered.topics, lambda each: each.baseline_value) as baseline_values,
        list_transform(gathered.topics, lambda each: each.run_value) as run_values,
        list_transform(gathered.topics, lambda each: each.difference) as differences
    from gathered
),
summed as (
    select
        lists.qrels,
        lists.measure,
        lists.baseline,
        lists.run,
        lists.scale,
        lists.num_topics,
        case
            when lists.scale = 'linear' then list_sum(lists.baseline_values) / lists.num_topics
            when lists.least_baseline_value <= 0 then 0
            else exp(
                list_sum(list_transform(lists.baseline_values, lambda each: ln(greatest(each, 0.00001))))
                / lists.num_topics
            )
        end as baseline_mean,
        case
            when lists.scale = 'linear' then list_sum(lists.run_values) / lists.num_topics
            when lists.least_run_value <= 0 then 0
            else exp(
                list_sum(list_transform(lists.run_values, lambda each: ln(greatest(each, 0.00001)))) / lists.num_topics
            )
        end as mean,
        list_sum(lists.differences) / lists.num_topics as difference,
        list_aggregate(lists.differences, 'stddev_samp') as deviation,
        lists.spread,
        lists.greatest_value,
        lists.num_differing,
        lists.wins,
        lists.losses
    from lists
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
