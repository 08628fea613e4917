-- title: Regularised incomplete beta function: probability that a beta variable is at most x
-- parameters:
--   x double = null            0 to 1
--   a double = null            first shape, above 0
--   b double = null            second shape, above 0
--   complement double = null   1 - x, where it is known with more digits than x has near 1; null: 1 - x
-- definition: Continued fraction in its even form from its last term up, on the side of x where it converges fast; the
--     power before it by the differences of a and b from their expectations, so that no digits go in large logarithms.
--     It starts as the first element of its list: DuckDB 1.5 errs where lists of several lengths have a start beside
--     them.
-- reference: Didonato and Morris 1992, doi:10.1145/131766.131776; Loader 2000
list_transform(
    list_transform(
        list_transform(
            [{'x': $x, 'y': coalesce($complement, 1 - $x), 'a': $a, 'b': $b}],
            lambda given: case
                when given.a * given.y < given.b * given.x
                    then {'upper': true, 'x': given.y, 'y': given.x, 'a': given.b, 'b': given.a}
                else {'upper': false, 'x': given.x, 'y': given.y, 'a': given.a, 'b': given.b}
            end
        ),
        lambda side: {
            'upper': side.upper,
            'tail': case
                when side.x <= 0 then 0
                else
                    sqrt(side.a * side.b / (side.a + side.b) / 6.283185307179586477)
                    * exp(
                        stirling_error(side.a + side.b) - stirling_error(side.a) - stirling_error(side.b)
                        - side.a * case
                            when side.a < 3 * (side.a + side.b) * side.x
                                then 2 * atanh(
                                    (side.a * side.y - side.b * side.x) / (side.a + (side.a + side.b) * side.x)
                                )
                            else ln(side.a / (side.a + side.b) / side.x)
                        end
                        - side.b * case
                            when 3 * side.b > (side.a + side.b) * side.y
                                then 2 * atanh(
                                    (side.b * side.x - side.a * side.y) / (side.b + (side.a + side.b) * side.y)
                                )
                            else ln(side.b / (side.a + side.b) / side.y)
                        end
                    )
                    / (
                        side.a * (side.a * side.y - side.b * side.x + 1) / (side.a + 1)
                        + list_reduce(
                            list_prepend(0e0, cast(range(
                                cast(
                                    30
                                    + 4 * sqrt(least(side.a, side.b))
                                    + case when side.b < 4 then least(10 * sqrt(side.a), 140) else 0 end
                                    as bigint
                                ),
                                0,
                                -1
                            ) as double[])),
                            lambda fraction, m:
                                (side.a + m - 1) * (side.a + side.b + m - 1) * m * (side.b - m)
                                * pow(side.x / (side.a + 2 * m - 1), 2)
                                / (
                                    m
                                    + m * (side.b - m) * side.x / (side.a + 2 * m - 1)
                                    + (side.a + m) * (side.a * side.y - side.b * side.x + 1 + m * (1 + side.y))
                                    / (side.a + 2 * m + 1)
                                    + fraction
                                )
                        )
                    )
            end
        }
    ),
    lambda found: case when found.upper then 1 - found.tail else found.tail end
)[1]
