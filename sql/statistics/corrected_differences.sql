-- title: How far each run is from a baseline over all topics that a judge judged, corrected by what people judged of some
-- parameters: baseline, reference, judge, weight, intervals, confidence
-- columns: measure, baseline, run
--   num_topics       topics that both judgment sets have
--   num_judged       topics that the judge alone has
--   by_reference     mean difference by the reference over the topics of both
--   by_judge         mean difference by the judge over all its topics
--   correction       mean difference by the reference less that by the judge, over the topics of both
--   weight           weight of the judge's values
--   estimate         corrected mean difference
--   low              lower end of its interval; null for too few topics
--   high             upper end
--   reference_low    lower end of the interval of the mean by the reference
--   reference_high   upper end
--   n_effective      topics that people would have to judge for the same variance, without the judge
--   note             what to be wary of: no other topics, few topics, people alone are surer; null otherwise
-- definition: The rows of corrections, over differences topic by topic, as in paired_differences.
-- reference: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient prediction-powered inference, arXiv:2311.01453
select *
from corrections(
    of := 'differences',
    baseline := $baseline,
    reference := $reference,
    judge := $judge,
    weight := $weight,
    intervals := $intervals,
    confidence := $confidence
)
