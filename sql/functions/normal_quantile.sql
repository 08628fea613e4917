-- title: Value that a standard normal variable is at most with probability p
-- parameters:
--   p double = null   probability; at 0 and 1 the quantile is infinite
-- definition: Rational approximations in three ranges, to about 1e-15.
-- reference: Wichura 1988, algorithm AS 241, doi:10.2307/2347330
list_transform(
    [
        {
            'middle': $p - 0.5,
            'inner': 0.180625 - ($p - 0.5) * ($p - 0.5),
            'outer': least($p, 1 - $p),
            'near': sqrt(-ln(greatest(least($p, 1 - $p), 1e-323))) - 1.6,
            'far': sqrt(-ln(greatest(least($p, 1 - $p), 1e-323))) - 5
        }
    ],
    lambda given: case
        when abs(given.middle) <= 0.425 then
            given.middle
            *
            (((((((2509.0809287301226727e0 * given.inner + 33430.575583588128105e0) * given.inner
            + 67265.770927008700853e0) * given.inner + 45921.953931549871457e0) * given.inner
            + 13731.693765509461125e0) * given.inner + 1971.5909503065514427e0) * given.inner
            + 133.14166789178437745e0) * given.inner + 3.387132872796366608e0)
            /
            (((((((5226.495278852545925e0 * given.inner + 28729.085735721942674e0) * given.inner
            + 39307.89580009271061e0) * given.inner + 21213.794301586595867e0) * given.inner
            + 5394.1960214247511077e0) * given.inner + 687.1870074920579083e0) * given.inner
            + 42.313330701600911252e0) * given.inner + 1.0e0)
        when given.outer < 0 then null
        when given.outer = 0 then cast('inf' as double) * sign(given.middle)
        else
            sign(given.middle)
            * case
                when given.far <= 0 then
                    (((((((7.7454501427834140764e-4 * given.near + 0.0227238449892691845833e0) * given.near
                    + 0.24178072517745061177e0) * given.near + 1.27045825245236838258e0) * given.near
                    + 3.64784832476320460504e0) * given.near + 5.7694972214606914055e0) * given.near
                    + 4.6303378461565452959e0) * given.near + 1.42343711074968357734e0)
                    /
                    (((((((1.05075007164441684324e-9 * given.near + 5.475938084995344946e-4) * given.near
                    + 0.0151986665636164571966e0) * given.near + 0.14810397642748007459e0) * given.near
                    + 0.68976733498510000455e0) * given.near + 1.6763848301838038494e0) * given.near
                    + 2.05319162663775882187e0) * given.near + 1.0e0)
                else
                    (((((((2.01033439929228813265e-7 * given.far + 2.71155556874348757815e-5) * given.far
                    + 0.0012426609473880784386e0) * given.far + 0.026532189526576123093e0) * given.far
                    + 0.29656057182850489123e0) * given.far + 1.7848265399172913358e0) * given.far
                    + 5.4637849111641143699e0) * given.far + 6.6579046435011037772e0)
                    /
                    (((((((2.04426310338993978564e-15 * given.far + 1.4215117583164458887e-7) * given.far
                    + 1.8463183175100546818e-5) * given.far + 7.868691311456132591e-4) * given.far
                    + 0.0148753612908506148525e0) * given.far + 0.13692988092273580531e0) * given.far
                    + 0.59983220655588793769e0) * given.far + 1.0e0)
            end
    end
)[1]
