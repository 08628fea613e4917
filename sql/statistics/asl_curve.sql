-- title: Achieved significance levels of all pairs of runs by each measure, in their order
-- parameters: test, tolerance, samples, seed
-- columns: qrels, measure
--   place      place of the pair among those of the measure, from the lowest level
--   share      share of the pairs up to this place
--   p          achieved significance level: two-sided p value, not corrected for the number of pairs
--   baseline   run whose name comes first
--   run        the other run
-- definition: The curve of p over the share of pairs; a measure that tells runs apart stays low. Where it crosses a
--     level stands the discriminative power at that level.
-- reference: Sakai 2006, Evaluating evaluation metrics based on the bootstrap, doi:10.1145/1148170.1148261
-- differs: Sakai takes the level from a bootstrap test, and lists pairs from the highest level
select
    found.qrels,
    found.measure,
    row_number() over by_level as place,
    cast(row_number() over by_level as double)
        / count(*) over (partition by found.qrels, found.measure) as share,
    found.p,
    found.baseline,
    found.run
from p_values(test := $test, tolerance := $tolerance, samples := $samples, seed := $seed) as found
window by_level as (partition by found.qrels, found.measure order by found.p, found.baseline, found.run)
