-- title: Least effect that the two-sided t test of paired differences finds with a given power
-- parameters:
--   n double = null        number of pairs, 2 or more
--   alpha double = null    level of significance
--   power double = null    probability of finding it, above alpha
-- definition: Root of t_test_power by bisection, in standard deviations of the differences.
-- reference: Cohen 1988, Statistical power analysis for the behavioral sciences
list_reduce(
    list_prepend(0e0, list_transform(
        [4 * (student_quantile(1 - $alpha / 2, $n - 1) + abs(normal_quantile($power)) + 1) / sqrt($n)],
        lambda bound: list_transform(range(1, 45), lambda i: bound / pow(2, i))
    )[1]),
    lambda effect, step: case
        when t_test_power(effect + step, $n, $alpha) < $power then effect + step
        else effect
    end
)
