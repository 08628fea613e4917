-- title: Value that a standard normal variable is at most with probability p
-- parameters:
--   p double = null   probability; at 0 and 1 the quantile is infinite
-- definition: Rational approximations in three ranges, to about 1e-15.
-- reference: Wichura 1988, algorithm AS 241, doi:10.2307/2347330
list_transform(
    [{'middle': $p - 0.5, 'tail': sqrt(-ln(least($p, 1 - $p)))}],
    lambda at_p: case
        when abs(at_p.middle) <= 0.425 then at_p.middle
            * list_reduce(
                [2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
                13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608],
                lambda total, factor: total * (0.180625 - at_p.middle * at_p.middle) + factor
            )
            / list_reduce(
                [5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
                5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0],
                lambda total, factor: total * (0.180625 - at_p.middle * at_p.middle) + factor
            )
        when isinf(at_p.tail) then at_p.tail * sign(at_p.middle)
        else
            sign(at_p.middle)
            * case
                when at_p.tail <= 5 then
                    list_reduce(
                        [7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                        1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959,
                        1.42343711074968357734],
                        lambda total, factor: total * (at_p.tail - 1.6) + factor
                    )
                    / list_reduce(
                        [1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966,
                        0.14810397642748007459, 0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187,
                        1.0],
                        lambda total, factor: total * (at_p.tail - 1.6) + factor
                    )
                else
                    list_reduce(
                        [2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
                        0.026532189526576123093, 0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699,
                        6.6579046435011037772],
                        lambda total, factor: total * (at_p.tail - 5) + factor
                    )
                    / list_reduce(
                        [2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5,
                        7.868691311456132591e-4, 0.0148753612908506148525, 0.13692988092273580531,
                        0.59983220655588793769, 1.0],
                        lambda total, factor: total * (at_p.tail - 5) + factor
                    )
            end
    end
)[1]
