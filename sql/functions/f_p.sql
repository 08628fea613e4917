-- title: p value of an F ratio: probability of one at least as great
-- parameters:
--   f double = null     ratio of mean squares, 0 or more
--   df1 double = null   degrees of freedom of the numerator, above 0
--   df2 double = null   degrees of freedom of the denominator, above 0
-- definition: Incomplete beta function of df2 / (df2 + df1 f) with shapes df2 / 2 and df1 / 2.
-- reference: Fisher 1924; Snedecor 1934
beta_cdf(1 / (1 + $df1 * $f / $df2), $df2 / 2, $df1 / 2, 1 / (1 + $df2 / ($df1 * $f)))
