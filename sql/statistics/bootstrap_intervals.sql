-- title: Bootstrap intervals of the mean difference of each run from a baseline: topics are drawn with replacement
-- parameters: baseline, samples, seed, confidence
--   samples integer in [1, 2147483647] = 10000  samples of topics
--   confidence double in (0, 1) = 0.95          share of intervals that are to hold the true difference
-- columns: qrels, measure, baseline, run, num_topics
--   difference        mean difference; on the logarithmic scale (see paired_differences) of logarithms
--   percentile_low    lower end of the percentile interval
--   percentile_high   its upper end
--   bca_low           lower end of the interval that is corrected for bias and acceleration
--   bca_high          its upper end
--   p                 two-sided p value
--   note              identical: the two runs are equal on all topics; one topic: there is but one; constant
--                     difference: all topics differ by the same, both ends are that; else null
-- definition: Quantiles of the means of resampled differences, between two by linear interpolation; for BCa the
--     quantiles whose probabilities are shifted by the share of means below the observed (of equal ones half) and by
--     the skewness over the topics (jackknife). p is (count + 1) / (samples + 1) of means at least as far from the
--     observed as that is from 0 (shift method). The function hash32 draws by seed, sample and number of the draw, so
--     that all pairs with as many topics have the same samples. Means are equal that differ by less than 1e-12 of the
--     mean absolute difference; differences up to 5e-13, and spreads up to 1e-13 of the greatest value, are rounding.
-- reference: Efron 1987, doi:10.1080/01621459.1987.10478410; Noreen 1989; Smucker, Allan and Carterette 2007,
--     doi:10.1145/1321440.1321528
-- differs: scipy.stats.bootstrap has no number where all differences are equal; where all resampled means are on one
--     side of the observed, here half a sample is taken to be on the other.
with pairs as materialized (
    select
        row_number() over (order by compared.qrels, compared.measure, compared.baseline, compared.run) as pair,
        compared.qrels,
        compared.measure,
        compared.baseline,
        compared.run,
        count(*) as num_topics,
        list(compared.difference order by compared.topic) as differences,
        sum(compared.difference order by compared.topic) / count(*) as mean_difference,
        1e-12 * sum(abs(compared.difference) order by compared.topic) / count(*) as slack,
        count(*) filter (where round(compared.difference, 12) <> 0) as num_unequal,
        max(compared.difference) - min(compared.difference) as spread,
        1e-13 * max(greatest(abs(compared.baseline_value), abs(compared.value))) as rounding
    from paired_differences(baseline := $baseline) as compared
    group by compared.qrels, compared.measure, compared.baseline, compared.run
),
varied as materialized (
    select
        *,
        list_sum(list_transform(differences, lambda difference: pow(mean_difference - difference, 3)))
        / pow(list_sum(list_transform(differences, lambda difference: pow(mean_difference - difference, 2))), 1.5)
        / -6 as acceleration
    from pairs
    where
        spread > rounding
        and num_unequal > 0
),
draws as (
    select unnest(range(1, cast($samples as bigint) + 1)) as draw
),
drawn_topics as (
    select
        sizes.num_topics,
        draws.draw,
        unnest(range(1, sizes.num_topics + 1)) as place
    from (select distinct num_topics from varied) as sizes
    cross join draws
),
-- How often each topic is in each sample.
drawn_times as (
    select
        num_topics,
        draw,
        place,
        sum(times) as times
    from (
        select
            num_topics,
            draw,
            place,
            0 as times
        from drawn_topics
        union all
        select
            num_topics,
            draw,
            1 + hash32(draw_key($seed, draw), place) % num_topics as place,
            1 as times
        from drawn_topics
    )
    group by num_topics, draw, place
),
resamples as materialized (
    select
        num_topics,
        draw,
        list(cast(times as double) order by place) as times
    from drawn_times
    group by num_topics, draw
),
resampled_means as (
    select
        varied.pair,
        varied.mean_difference,
        varied.slack,
        list_dot_product(varied.differences, resamples.times) / varied.num_topics as mean
    from varied
    join resamples using (num_topics)
),
distributions as (
    select
        pair,
        list_sort(list(mean)) as means,
        count(*) as num_drawn,
        count(*) filter (where mean < mean_difference - slack)
        + count(*) filter (where mean <= mean_difference + slack) as twice_below,
        count(*) filter (where abs(mean - mean_difference) >= abs(mean_difference) - slack) as num_at_least
    from resampled_means
    group by pair
),
shifts as (
    select
        varied.pair,
        varied.acceleration,
        distributions.means,
        distributions.num_drawn,
        (distributions.num_at_least + 1) / (distributions.num_drawn + 1) as p,
        normal_quantile(
            least(greatest(distributions.twice_below, 1), 2 * distributions.num_drawn - 1)
            / (2 * distributions.num_drawn)
        ) as bias,
        normal_quantile((1 - $confidence) / 2) as low_quantile
    from varied
    join distributions using (pair)
),
shifted as (
    select
        *,
        bias + (bias + low_quantile) / (1 - acceleration * (bias + low_quantile)) as bca_low_quantile,
        bias + (bias - low_quantile) / (1 - acceleration * (bias - low_quantile)) as bca_high_quantile
    from shifts
),
ends as (
    select
        pair,
        p,
        list_transform(
            list_transform(
                [
                    (1 - $confidence) / 2,
                    (1 + $confidence) / 2,
                    -- Beyond the pole of the correction the quantile is the last.
                    case
                        when acceleration * (bias + low_quantile) < 1 then normal_cdf(bca_low_quantile)
                        when acceleration > 0 then 1.0
                        else 0.0
                    end,
                    case
                        when acceleration * (bias - low_quantile) < 1 then normal_cdf(bca_high_quantile)
                        when acceleration > 0 then 1.0
                        else 0.0
                    end
                ],
                lambda share: share * (num_drawn - 1)
            ),
            lambda place:
                means[cast(floor(place) as bigint) + 1]
                + (place - floor(place))
                * (means[cast(ceil(place) as bigint) + 1] - means[cast(floor(place) as bigint) + 1])
        ) as quantiles
    from shifted
)
select
    pairs.qrels,
    pairs.measure,
    pairs.baseline,
    pairs.run,
    pairs.num_topics,
    pairs.mean_difference as difference,
    coalesce(ends.quantiles[1], pairs.mean_difference) as percentile_low,
    coalesce(ends.quantiles[2], pairs.mean_difference) as percentile_high,
    coalesce(ends.quantiles[3], pairs.mean_difference) as bca_low,
    coalesce(ends.quantiles[4], pairs.mean_difference) as bca_high,
    case
        when pairs.num_topics = 1 or pairs.num_unequal = 0 then 1.0
        else coalesce(ends.p, 1.0 / (1 + cast($samples as double)))
    end as p,
    case
        when pairs.num_unequal = 0 then 'identical'
        when pairs.num_topics = 1 then 'one topic'
        when ends.pair is null then 'constant difference'
    end as note
from pairs
left join ends using (pair)
