-- title: Factor that takes the bias from a standardised mean difference
-- parameters:
--   df double = null   degrees of freedom of the standard deviation, above 1
-- definition: gamma(df / 2) / (sqrt(df / 2) gamma((df - 1) / 2)).
-- reference: Hedges 1981, doi:10.3102/10769986006002107
exp(lgamma($df / 2) - lgamma(($df - 1) / 2)) / sqrt($df / 2)
