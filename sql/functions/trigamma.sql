-- title: Sum of 1 / (x + n)^2 over n = 0, 1, 2 and so on
-- parameters:
--   x double = null   above 0
-- definition: The trigamma function: trigamma(x) = 1 / x^2 + trigamma(x + 1), ten times, then the first terms of its
--    asymptotic series in 1 / x, which have all digits from 10 on.
-- reference: Abramowitz and Stegun 1964, Handbook of Mathematical Functions, 6.4.6 and 6.4.12
1 / ($x * $x) + 1 / (($x + 1) * ($x + 1))
+ 1 / (($x + 2) * ($x + 2)) + 1 / (($x + 3) * ($x + 3))
+ 1 / (($x + 4) * ($x + 4)) + 1 / (($x + 5) * ($x + 5))
+ 1 / (($x + 6) * ($x + 6)) + 1 / (($x + 7) * ($x + 7))
+ 1 / (($x + 8) * ($x + 8)) + 1 / (($x + 9) * ($x + 9))
+ 1 / ($x + 10) + 1 / (2 * pow($x + 10, 2)) + 1 / (6 * pow($x + 10, 3)) - 1 / (30 * pow($x + 10, 5))
+ 1 / (42 * pow($x + 10, 7)) - 1 / (30 * pow($x + 10, 9)) + 5 / (66 * pow($x + 10, 11))
