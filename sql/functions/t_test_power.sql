-- title: Power of the two-sided t test of one mean or of paired differences
-- parameters:
--   effect double = null   mean in standard deviations
--   n double = null        number of values, 2 or more
--   alpha double = null    level of significance
-- definition: Probability that a noncentral t variable lies beyond the quantiles of Student's t: integral over the
--     logarithm of the standard deviation of the normal probability given it, by the tanh-sinh rule between the ends, the
--     middle and the place where that probability turns; to about 1e-8.
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
            'peak': given.peak,
            'ends': list_sort([
                given.low,
                0,
                least(greatest(ln(greatest(given.shift, 1e-9) / given.critical), given.low), given.high),
                given.high
            ])
        }
    ),
    lambda given: given.peak * list_sum(
        list_transform(
            range(387),
            lambda i: case
                when given.ends[i // 129 + 2] > given.ends[i // 129 + 1] then list_transform(
                    [
                        {
                            'u': (given.ends[i // 129 + 2] + given.ends[i // 129 + 1]) / 2
                                + (given.ends[i // 129 + 2] - given.ends[i // 129 + 1]) / 2
                                * tanh(1.5707963267948966 * sinh((i % 129 - 64) / 20)),
                            'weight': (given.ends[i // 129 + 2] - given.ends[i // 129 + 1])
                                * 0.039269908169872414 * cosh((i % 129 - 64) / 20)
                                / pow(cosh(1.5707963267948966 * sinh((i % 129 - 64) / 20)), 2)
                        }
                    ],
                    lambda node: node.weight * exp(given.df * (node.u - (exp(2 * node.u) - 1) / 2))
                        * (
                            normal_cdf(given.shift - given.critical * exp(node.u))
                            + normal_cdf(-given.shift - given.critical * exp(node.u))
                        )
                )[1]
                else 0
            end
        )
    )
)[1]
