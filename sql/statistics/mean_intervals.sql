-- title: How far the mean of each run over topics may be off: Student's interval
-- parameters: confidence
-- columns:
--   qrels        judgment set
--   measure      canonical name of the measure
--   run          run
--   num_topics   topics averaged
--   mean         arithmetic mean over the topics
--   low          lower end of the interval; null for one topic
--   high         upper end
-- definition: The mean, less and more the quantile of Student's t times the standard error. Only of measures that are
--     averaged so: not of counts, geometric means and means by weights of topics.
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
with spreads as (
    select
        scores.qrels,
        scores.measure,
        scores.run,
        count(*) as num_topics,
        avg(scores.value) as mean,
        stddev_samp(scores.value) / sqrt(count(*)) as standard_error
    from scores
    join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
    where measures.mean = 'arithmetic'
    group by scores.qrels, scores.measure, scores.run
),
sizes as (
    -- A quantile takes long; each is found once for a number of topics.
    select
        num_topics,
        student_quantile(($confidence + 1) / 2, num_topics - 1) as quantile
    from (select distinct num_topics from spreads where num_topics > 1) as found
)
select
    spreads.qrels,
    spreads.measure,
    spreads.run,
    spreads.num_topics,
    spreads.mean,
    spreads.mean - sizes.quantile * spreads.standard_error as low,
    spreads.mean + sizes.quantile * spreads.standard_error as high
from spreads
left join sizes on sizes.num_topics = spreads.num_topics
