-- title: Probability that a bootstrap interval leaves out at each end
-- parameters:
--   confidence double = null    share of intervals that are to hold the true value
--   units double = null         units drawn with replacement; null for fewer than three of them
--   is_expanded integer = null   whether the interval is to be as wide as Student's, 1 or 0
-- definition: Half of what the confidence leaves, or the normal probability of Student's quantile times
--     sqrt(units / (units - 1)): the spread of drawn means is too small by this factor, and their tails are normal.
-- reference: Hesterberg 2015, What teachers should know about the bootstrap, doi:10.1080/00031305.2015.1089789
case
    when $units < 3 then null
    when $is_expanded = 0 then (1 - $confidence) / 2
    else normal_cdf(-sqrt($units / ($units - 1)) * student_quantile((1 + $confidence) / 2, $units - 1))
end
