-- title: How far means that are estimated from a sample of judgments may be from what all judgments give
-- parameters: k, rel, confidence
-- columns: qrels, run
--   measure          statAP, or statnDCG with the cutoff k
--   num_topics       topics averaged
--   value            mean over the topics
--   standard_error   standard error of it, from the samples alone: that of these topics, not of others like them
--   low              lower end of the interval, 0 at least
--   high             upper end
--   num_unknown      topics whose own error is not known; here they add nothing to it, so that with many it is too
--                    small
-- definition: The root of the sum of the squared standard errors of the topics, whose samples are drawn apart,
--    divided by the number of topics. The interval is the mean, less and more the normal quantile times that.
-- reference: Aslam and Pavlu 2007, A practical sampling strategy for efficient retrieval evaluation, Northeastern
--    University
with estimates as (
    select
        qrels,
        run,
        concat('statAP', case when $rel <> 1 then concat('(rel=', $rel, ')') end) as measure,
        topic,
        value,
        standard_error
    from statap(rel := $rel)
    union all
    select
        qrels,
        run,
        concat('statnDCG', case when $k is not null then concat('@', $k) end) as measure,
        topic,
        value,
        standard_error
    from statndcg(k := $k)
),
means as (
    select
        qrels,
        run,
        measure,
        count(*) as num_topics,
        -- The order makes sums the same to the last digit each time.
        avg(value order by topic) as value,
        sqrt(sum(standard_error * standard_error order by topic)) / count(*) as standard_error,
        count(*) - count(standard_error) as num_unknown
    from estimates
    group by qrels, run, measure
)
select
    qrels,
    run,
    measure,
    num_topics,
    value,
    standard_error,
    greatest(value - normal_quantile(($confidence + 1) / 2) * standard_error, 0) as low,
    value + normal_quantile(($confidence + 1) / 2) * standard_error as high,
    num_unknown
from means
