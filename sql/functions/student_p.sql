-- title: Two-sided p value of Student's t: probability of a t variable at least as far from 0
-- parameters:
--   t double = null    any number
--   df double = null   degrees of freedom, above 0
-- definition: Incomplete beta function of df / (df + t^2) with shapes df / 2 and 1 / 2.
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
beta_cdf(1 / (1 + $t * $t / $df), $df / 2, 0.5, 1 / (1 + $df / ($t * $t)))
