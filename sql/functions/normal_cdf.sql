-- title: Probability that a standard normal variable is at most x; above x it is normal_cdf(-x)
-- parameters:
--   x double = null   any number
-- definition: Rational approximations in three ranges of |x|, to about 1e-15 of the value also far out in the lower
--     tail, where the square of x is split so that its rounding does not matter.
-- reference: Cody 1969, doi:10.1090/S0025-5718-1969-0247736-4
list_transform(
    [
        {
            'x': $x,
            'square': $x * $x,
            'size': least(abs($x), 40),
            'inverse': pow(least(abs($x), 40), -2),
            'step': floor(least(abs($x), 40) * 16) / 16
        }
    ],
    lambda given: case
        when given.x is null then null
        when given.size <= 0.67448975 then 0.5 + given.x
            *
            ((((0.065682337918207449113e0 * given.square + 2.2352520354606839287e0) * given.square
            + 161.02823106855587881e0) * given.square + 1067.6894854603709582e0) * given.square
            + 18154.981253343561249e0)
            /
            ((((1.0e0 * given.square + 47.20258190468824187e0) * given.square
            + 976.09855173777669322e0) * given.square + 10260.932208618978205e0) * given.square
            + 45507.789335026729956e0)
        else
            -- The tail, or one less the tail.
            case when given.x > 0 then 1 else 0 end
            + case when given.x > 0 then -1 else 1 end
            * exp(-given.step * given.step / 2)
            * exp(-(given.size - given.step) * (given.size + given.step) / 2)
            * case
                when given.size <= 5.656854249492380 then
                    ((((((((1.0765576773720192317e-8 * given.size + 0.39894151208813466764e0) * given.size
                    + 8.8831497943883759412e0) * given.size + 93.506656132177855979e0) * given.size
                    + 597.27027639480026226e0) * given.size + 2494.5375852903726711e0) * given.size
                    + 6848.1904505362823326e0) * given.size + 11602.651437647350124e0) * given.size
                    + 9842.7148383839780218e0)
                    /
                    ((((((((1.0e0 * given.size + 22.266688044328115691e0) * given.size
                    + 235.38790178262499861e0) * given.size + 1519.377599407554805e0) * given.size
                    + 6485.558298266760755e0) * given.size + 18615.571640885098091e0) * given.size
                    + 34900.952721145977266e0) * given.size + 38912.003286093271411e0) * given.size
                    + 19685.429676859990727e0)
                else
                    (
                        0.39894228040143267794
                        - given.inverse
                        *
                        (((((0.02307344176494017303e0 * given.inverse + 0.21589853405795699e0) * given.inverse
                        + 0.1274011611602473639e0) * given.inverse + 0.022235277870649807e0) * given.inverse
                        + 0.001421619193227893466e0) * given.inverse + 2.9112874951168792e-5)
                        /
                        (((((1.0e0 * given.inverse + 1.28426009614491121e0) * given.inverse
                        + 0.468238212480865118e0) * given.inverse + 0.0659881378689285515e0) * given.inverse
                        + 0.00378239633202758244e0) * given.inverse + 7.29751555083966205e-5)
                    )
                    / given.size
            end
    end
)[1]
