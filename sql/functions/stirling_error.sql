-- title: What Stirling's formula lacks of the logarithm of gamma(x)
-- parameters:
--   x double = null   above 0
-- definition: ln gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2; from 10 on by the series in 1 / x.
-- reference: Loader 2000, Fast and accurate computation of binomial probabilities
list_transform(
    [$x],
    lambda z: case
        when z < 10 then lgamma(z) - (z - 0.5) * ln(z) + z - 0.91893853320467274178
        else
            list_reduce(
                [1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12],
                lambda total, factor: total / z / z + factor
            )
            / z
    end
)[1]
