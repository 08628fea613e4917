-- title: Probability that a standard normal variable is at most x; above x it is normal_cdf(-x)
-- parameters:
--   x double = null   any number
-- definition: Rational approximations in three ranges of |x|, to about 1e-15 of the value also far out in the lower tail,
--     where the square of x is split so that its rounding does not matter.
-- reference: Cody 1969, doi:10.1090/S0025-5718-1969-0247736-4
list_transform(
    [{'signed': $x, 'size': least(abs($x), 40)}],
    lambda point: case
        when point.signed is null then null
        when point.size <= 0.67448975 then 0.5 + point.signed
            * list_reduce(
                [0.065682337918207449113, 2.2352520354606839287, 161.02823106855587881, 1067.6894854603709582,
                18154.981253343561249],
                lambda total, factor: total * point.signed * point.signed + factor
            )
            / list_reduce(
                [1.0, 47.20258190468824187, 976.09855173777669322, 10260.932208618978205, 45507.789335026729956],
                lambda total, factor: total * point.signed * point.signed + factor
            )
        else
            -- The tail, or one less the tail.
            case when point.signed > 0 then 1 else 0 end
            + case when point.signed > 0 then -1 else 1 end
            * exp(-pow(floor(point.size * 16) / 16, 2) / 2)
            * exp(-(point.size - floor(point.size * 16) / 16) * (point.size + floor(point.size * 16) / 16) / 2)
            * case
                when point.size <= 5.656854249492380 then
                    list_reduce(
                        [1.0765576773720192317e-8, 0.39894151208813466764, 8.8831497943883759412,
                        93.506656132177855979, 597.27027639480026226, 2494.5375852903726711, 6848.1904505362823326,
                        11602.651437647350124, 9842.7148383839780218],
                        lambda total, factor: total * point.size + factor
                    )
                    / list_reduce(
                        [1.0, 22.266688044328115691, 235.38790178262499861, 1519.377599407554805,
                        6485.558298266760755, 18615.571640885098091, 34900.952721145977266, 38912.003286093271411,
                        19685.429676859990727],
                        lambda total, factor: total * point.size + factor
                    )
                else
                    (
                        0.39894228040143267794
                        - list_reduce(
                            [0.02307344176494017303, 0.21589853405795699, 0.1274011611602473639,
                            0.022235277870649807, 0.001421619193227893466, 2.9112874951168792e-5],
                            lambda total, factor: total / point.size / point.size + factor
                        )
                        / point.size / point.size
                        / list_reduce(
                            [1.0, 1.28426009614491121, 0.468238212480865118, 0.0659881378689285515,
                            0.00378239633202758244, 7.29751555083966205e-5],
                            lambda total, factor: total / point.size / point.size + factor
                        )
                    )
                    / point.size
            end
    end
)[1]
