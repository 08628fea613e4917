-- title: Discriminative power of measures: the share of pairs of runs that they tell apart
-- parameters: alpha, test, tolerance, samples, seed
--   alpha double in (0, 1) = 0.05   level below which a difference is significant
-- columns: qrels, measure
--   num_pairs         pairs of runs
--   num_significant   pairs whose p value is below alpha
--   power             share of pairs that are significant
-- definition: Pairs with p < alpha over all pairs; each pair counts by itself, without correction for their number
--     (but tukey corrects for it).
-- reference: Sakai 2006, Evaluating evaluation metrics based on the bootstrap, doi:10.1145/1148170.1148261; Sakai 2007,
--     On the reliability of information retrieval metrics based on graded relevance, doi:10.1016/j.ipm.2006.07.020
-- differs: Sakai tests by bootstrap
with counted as (
    select
        found.qrels,
        found.measure,
        count(*) as num_pairs,
        count(case when found.p < cast($alpha as double) then 1 end) as num_significant
    from p_values(test := $test, tolerance := $tolerance, samples := $samples, seed := $seed) as found
    group by found.qrels, found.measure
)
select
    counted.qrels,
    counted.measure,
    counted.num_pairs,
    counted.num_significant,
    counted.num_significant / counted.num_pairs as power
from counted
