-- title: Variance of a total that is estimated from a sample drawn without replacement with given probabilities
-- parameters:
--   drawn double = null              documents drawn, of those that might not have been
--   weights double = null            sum over these of 1 - probability
--   total double = null              sum over these of (1 - probability) * y / probability, y being what one adds
--   total_of_squares double = null   the same sum with the square of y / probability
-- definition: n / (n - 1) * (S2 - S1^2 / W) with n drawn, their weights W, and the sums S1 and S2; 0 where all were
--    judged for certain, null where one was drawn. Where all probabilities are n / N it is N^2 (1 - n / N) s^2 / n,
--    the variance under simple random sampling.
-- reference: Hajek 1964, Asymptotic theory of rejective sampling with varying probabilities from a finite population,
--    doi:10.1214/aoms/1177700375
case
    when $drawn = 0 then 0
    when $drawn > 1 then greatest(0, $total_of_squares - $total * $total / $weights) * $drawn / ($drawn - 1)
end
