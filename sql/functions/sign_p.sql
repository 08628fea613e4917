-- title: Two-sided p value of the sign test: probability that wins and losses by coin are at least as uneven
-- parameters:
--   wins double = null     cases for one side
--   losses double = null   cases for the other side
-- definition: Twice the lower tail of the binomial distribution with probability 1/2 at the lesser count, 1 at most; 1
--     where there is neither a win nor a loss.
-- reference: Arbuthnott 1710; Conover 1999, Practical nonparametric statistics
case
    when $wins = $losses then 1.0
    else least(1, 2 * beta_cdf(0.5, greatest($wins, $losses), least($wins, $losses) + 1))
end
