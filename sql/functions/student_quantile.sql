-- title: Value that Student's t is at most with probability p
-- parameters:
--   p double = null    probability, above 0 and below 1
--   df double = null   degrees of freedom, 1 or more
-- definition: Root of the two-sided p value by Newton's method on logarithms of both, from a normal quantile widened
--     by the first terms of its expansion in 1 / df.
-- reference: Abramowitz and Stegun 1964, 26.7.5
list_transform(
    [
        {
            'p': $p,
            'tails': 2 * least($p, 1 - $p),
            'df': $df,
            'start': list_transform([abs(normal_quantile($p))], lambda z: z * (1 + (z * z + 1) / (4 * $df)))[1],
            -- A power of t is above the tail everywhere, and close to it far out.
            'bound': sqrt($df) * pow(
                least($p, 1 - $p) * $df * sqrt(3.141592653589793) * exp(lgamma($df / 2) - lgamma(($df + 1) / 2)),
                -1 / $df
            ),
            'peak': exp(lgamma(($df + 1) / 2) - lgamma($df / 2)) / sqrt(3.141592653589793 * $df)
        }
    ],
    lambda given: case
        when given.p = 0.5 then 0
        when given.bound > 1e10 * given.df then given.bound * sign(given.p - 0.5)
        else
            sign(given.p - 0.5)
            * list_reduce(
                list_prepend(
                    least(given.bound, given.start),
                    cast(range(case when given.df < 3 or given.tails < 1e-6 then 12 else 5 end) as double[])
                ),
                lambda t, step: list_transform(
                    [student_p(t, given.df)],
                    lambda reached: least(
                        given.bound,
                        t * exp(
                            ln(reached / given.tails) * reached
                            / (2 * t * given.peak * pow(1 + t * t / given.df, -(given.df + 1) / 2))
                        )
                    )
                )[1]
            )
    end
)[1]
