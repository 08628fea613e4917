-- title: How far the mean of each run over topics may be off: Student's interval, cut at the measure's range
-- parameters: confidence
-- columns: qrels, measure, run
--   num_topics   topics averaged
--   mean         arithmetic mean over the topics
--   low          lower end of the interval, the least value of the measure at least; null for one topic
--   high         upper end, the greatest value of the measure at most
-- definition: The mean, less and more the quantile of Student's t times the standard error, cut at the ends
--     of the measure's range, beyond which no mean can be. Only of measures that are averaged so: not of counts,
--     geometric means and means by weights of topics.
-- reference: Student 1908, doi:10.1093/biomet/6.1.1
with spreads as (
    select
        scores.qrels,
        scores.measure,
        scores.run,
        count(*) as num_topics,
        -- The order makes sums the same to the last digit each time.
        avg(scores.value order by scores.topic) as mean,
        stddev_samp(scores.value order by scores.topic) / sqrt(count(*)) as standard_error,
        cast(split_part(min(measures.range), ' ', 1) as double) as lowest,
        cast(split_part(min(measures.range), ' ', 2) as double) as highest
    from scores
    join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
    where measures.mean = 'arithmetic'
    group by scores.qrels, scores.measure, scores.run
),
placed as (
    select
        spreads.*,
        row_number() over (partition by qrels, measure, num_topics order by run) as place
    from spreads
),
measured as (
    -- A quantile takes long: it is computed once for each measure's number of topics.
    select
        placed.*,
        standard_error * max(
            case when place = 1 and num_topics > 1 then student_quantile(($confidence + 1) / 2, num_topics - 1) end
        ) over (partition by qrels, measure, num_topics) as width
    from placed
)
select
    qrels,
    measure,
    run,
    num_topics,
    mean,
    case when width is not null then greatest(mean - width, lowest) end as low,
    case when width is not null then least(mean + width, highest) end as high
from measured
