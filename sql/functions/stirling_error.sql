-- title: What Stirling's formula lacks of the logarithm of gamma(x)
-- parameters:
--   x double = null   above 0
-- definition: ln gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2; from 10 on by the series in 1 / x.
-- reference: Loader 2000, Fast and accurate computation of binomial probabilities
list_transform(
    [{'x': $x, 'inverse': pow($x, -2)}],
    lambda given: case
        when given.x < 10 then lgamma(given.x) - (given.x - 0.5) * ln(given.x) + given.x - 0.91893853320467274178
        else
            ((((((given.inverse / 156 - 691e0 / 360360) * given.inverse + 1e0 / 1188) * given.inverse - 1e0 / 1680)
            * given.inverse + 1e0 / 1260) * given.inverse - 1e0 / 360) * given.inverse + 1e0 / 12) / given.x
    end
)[1]
