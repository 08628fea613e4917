-- title: Least number of pairs with which the two-sided t test finds an effect with a given power
-- parameters:
--   effect double = null   mean difference in standard deviations of the differences, other than 0
--   alpha double = null    level of significance
--   power double = null    probability of finding it, above alpha
-- definition: Least n whose t_test_power is the power asked for, by bisection from the number that a known standard
--     deviation needs, which is less by half the square of the normal quantile and little more.
-- reference: Guenther 1981, doi:10.1080/00031305.1981.10479369
list_transform(
    [
        {
            'effect': abs($effect),
            'alpha': $alpha,
            'power': $power,
            'known': greatest(
                1,
                floor(pow((normal_quantile(1 - $alpha / 2) + normal_quantile($power)) / $effect, 2)) - 1
            )
        }
    ],
    lambda given: 1 + list_reduce(
        [64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0],
        lambda n, step: case
            when t_test_power(given.effect, n + step, given.alpha) < given.power then n + step
            else n
        end,
        given.known
    )
)[1]
