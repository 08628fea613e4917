-- title: Power of the two-sided t test of one mean or of paired differences
-- parameters:
--   effect double = null   mean in standard deviations
--   n double = null        number of values, 2 or more
--   alpha double = null    level of significance
-- definition: Probability that a noncentral t variable lies beyond the quantiles of Student's t: integral over the
--     logarithm of the standard deviation of the normal probability given it, by the tanh-sinh rule between the ends,
--     the middle and the place where that probability turns; to about 1e-8.
-- reference: Cohen 1988, Statistical power analysis for the behavioral sciences; Takahasi and Mori 1974
list_transform(
    list_transform(
        [
            {
                'df': $n - 1,
                'shift': abs($effect) * sqrt($n),
                'critical': student_quantile(1 - $alpha / 2, $n - 1),
                'low': -37 / ($n - 1) - 9 / sqrt(2 * $n - 2),
                'high': 9 / sqrt(2 * $n - 2),
                'peak': sqrt(($n - 1) / 3.141592653589793) * exp(-stirling_error(($n - 1) / 2))
            }
        ],
        lambda given: {
            'df': given.df,
            'shift': given.shift,
            'critical': given.critical,
            'low': given.low,
            'turn': least(greatest(ln(greatest(given.shift, 1) / given.critical), given.low), given.high),
            'high': given.high,
            'peak': given.peak
        }
    ),
    lambda given: given.peak * list_sum(
        list_transform(
            [
                {'low': given.low, 'high': least(given.turn, 0)},
                {'low': least(given.turn, 0), 'high': greatest(given.turn, 0)},
                {'low': greatest(given.turn, 0), 'high': given.high}
            ],
            lambda panel: (panel.high - panel.low) * list_sum(
                list_transform(
                    list_transform(
                        list_transform(
                            range(-64, 65),
                            lambda i: {
                                'place': tanh(1.5707963267948966 * sinh(i / 20)),
                                'weight': 0.039269908169872414 * cosh(i / 20)
                                    / pow(cosh(1.5707963267948966 * sinh(i / 20)), 2)
                            }
                        ),
                        lambda node: {
                            'u': (panel.high + panel.low + (panel.high - panel.low) * node.place) / 2,
                            'spread': exp((panel.high + panel.low + (panel.high - panel.low) * node.place) / 2),
                            'weight': node.weight
                        }
                    ),
                    lambda node: node.weight * exp(given.df * (node.u - (node.spread * node.spread - 1) / 2))
                        * (
                            normal_cdf(given.shift - given.critical * node.spread)
                            + normal_cdf(-given.shift - given.critical * node.spread)
                        )
                )
            )
        )
    )
)[1]
