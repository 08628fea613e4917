-- title: Least number of pairs with which the two-sided t test finds an effect with a given power
-- parameters:
--   effect double = null   mean difference in standard deviations of the differences, other than 0
--   alpha double = null    level of significance
--   power double = null    probability of finding it, above alpha
-- definition: Least n whose t_test_power is the power asked for, by bisection below a bound: the number that a known
--     standard deviation needs, and 64, which is more than the estimate of it costs.
-- reference: Guenther 1981, Sample size formulas for normal theory t tests
1 + list_reduce(
    list_prepend(1e0, list_transform(
        range(
            cast(
                ceil(log2(64 + pow((normal_quantile(1 - $alpha / 2) + normal_quantile($power)) / $effect, 2)))
                as bigint
            ),
            -1,
            -1
        ),
        lambda exponent: pow(2, exponent)
    )),
    lambda n, step: case
        when t_test_power(abs($effect), n + step, $alpha) < $power then n + step
        else n
    end
)
