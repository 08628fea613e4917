-- title: The mean of each run over all topics that a judge judged, corrected by what people judged of some
-- parameters: reference, judge, weight, intervals, confidence
-- columns: measure, run
--   num_topics       topics that both judgment sets have
--   num_judged       topics that the judge alone has
--   by_reference     mean by the reference over the topics of both
--   by_judge         mean by the judge over all its topics
--   correction       mean by the reference less that by the judge, over the topics of both
--   weight           weight of the judge's values
--   estimate         corrected mean
--   low              lower end of its interval; null for too few topics
--   high             upper end
--   reference_low    lower end of the interval of the mean by the reference
--   reference_high   upper end
--   n_effective      topics that people would have to judge for the same variance, without the judge
--   note             what to be wary of: no other topics, few topics, people alone are surer; null otherwise
-- definition: The rows of corrections, over the values by topic of measures that are averaged arithmetically.
-- reference: Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient prediction-powered inference, arXiv:2311.01453
select * exclude (baseline)
from corrections(
    of := 'means',
    reference := $reference,
    judge := $judge,
    weight := $weight,
    intervals := $intervals,
    confidence := $confidence
)
