-- title: Quality against cost: which systems nobody beats in both, and which are beaten by whom
-- parameters:
--   quality_measure varchar = nDCG@10   canonical name of the measure of quality
--   cost_measure varchar = Cost   a cost that is held, as latency_ms, or a measure of which less is better; Cost is the
--                                 only cost that is held
--   statistic varchar in {mean, median, p95, total} = mean   what is compared: of the topics' costs, or the total
--   confidence double in (0, 1) = 0.95   level of the intervals
-- columns: qrels, run
--   quality        mean of the measure of quality
--   quality_low    lower end of its interval by Student's t; null where it has none
--   quality_high   upper end
--   cost           mean, median or 95th percentile of the cost over the topics that have one, or the total
--   cost_low       lower end of the interval of the mean; null for all else
--   cost_high      upper end
--   num_topics     topics that have a cost; 0 where it is known for the whole run alone
--   on_front       whether no other run is as good and as cheap, and better or cheaper
--   dominated_by   runs that are, the best first; null on the front
-- definition: One run dominates another where its quality is not lower and its cost not higher, and one of both is
--     better. Values up to 5e-13 apart are equal. Runs without a cost take no part. Where no run has a cost of a topic,
--     the costs of whole runs are compared, which have no interval. The total is the number of the whole run, else the
--     sum over the topics if each has one. The measure of quality, of which more is better, is one of the view scores.
--     The interval of a mean is Student's, cut at 0.
-- reference: Kung, Luccio and Preparata 1975, On finding the maxima of a set of vectors, doi:10.1145/321906.321910
with scores as (
    -- The values once: mean_intervals reads them by this name.
    select * from scores
),
qualities as (
    select
        qrels,
        run,
        value
    from summary
    where
        measure = $quality_measure
        and value is not null
),
cost_values as (
    select
        qrels,
        run,
        topic,
        value
    from topic_costs
    where
        $cost_measure in (cost, concat('Cost(name=''', cost, ''')'))
        or ($cost_measure = 'Cost' and (select count(distinct cost) from costs) = 1)
    union
    select
        qrels,
        run,
        topic,
        value
    from scores
    where measure = $cost_measure
),
costs_of_topics as (
    select
        qrels,
        run,
        case $statistic
            when 'mean' then avg(value order by topic)
            when 'median' then quantile_cont(value, 0.5)
            when 'p95' then quantile_cont(value, 0.95)
            else sum(value order by topic)
        end as value,
        case
            when $statistic = 'mean' and count(*) > 1
                then student_quantile(($confidence + 1) / 2, count(*) - 1)
                * stddev_samp(value order by topic) / sqrt(count(*))
        end as width,
        count(*) as num_topics
    from cost_values
    group by qrels, run
),
totals as (
    select
        qrels,
        run,
        case when whole_run is not null or missing is null then total end as value,
        num_topics
    from cost_summary
    where
        $cost_measure in (cost, concat('Cost(name=''', cost, ''')'))
        or ($cost_measure = 'Cost' and (select count(distinct cost) from costs) = 1)
),
costs_of_runs as (
    select
        qrels,
        run,
        value,
        width,
        num_topics
    from costs_of_topics
    -- A measure that is no stored cost, such as WastedCalls, has no other total.
    where $statistic <> 'total' or qrels not in (select qrels from totals)
    union all
    select
        qrels,
        run,
        value,
        null as width,
        num_topics
    from totals
    where
        value is not null
        and ($statistic = 'total' or qrels not in (select qrels from cost_values))
),
points as (
    select
        qualities.qrels,
        qualities.run,
        qualities.value as quality,
        of_quality.low as quality_low,
        of_quality.high as quality_high,
        costs_of_runs.value as cost,
        case when costs_of_runs.width is not null then greatest(costs_of_runs.value - costs_of_runs.width, 0) end as cost_low,
        costs_of_runs.value + costs_of_runs.width as cost_high,
        costs_of_runs.num_topics
    from qualities
    join costs_of_runs using (qrels, run)
    left join mean_intervals(confidence := $confidence) as of_quality
        on of_quality.qrels = qualities.qrels
        and of_quality.run = qualities.run
        and of_quality.measure = $quality_measure
),
dominated as (
    select
        beaten.qrels,
        beaten.run,
        list(better.run order by better.quality desc, better.cost, better.run) as dominated_by
    from points as beaten
    join points as better using (qrels)
    where
        round(better.quality - beaten.quality, 12) >= 0
        and round(better.cost - beaten.cost, 12) <= 0
        and (
            round(better.quality - beaten.quality, 12) > 0
            or round(better.cost - beaten.cost, 12) < 0
        )
    group by beaten.qrels, beaten.run
),
asked as (
    -- The defaults are asked for where nobody names a measure.
    select
        $quality_measure = 'nDCG@10' or exists (from qualities) as has_quality,
        $cost_measure = 'Cost' or exists (from costs_of_runs) as has_cost
)
select
    points.*,
    dominated.dominated_by is null as on_front,
    dominated.dominated_by
from asked
left join points on true
left join dominated
    on dominated.qrels = points.qrels
    and dominated.run = points.run
where
    case
        when not asked.has_quality
            then error('quality_measure is ' || $quality_measure || ', and no measure is called so that runs have means by')
        when not asked.has_cost
            then error('cost_measure is ' || $cost_measure || ', and no cost or measure is called so that runs have')
        else points.run is not null
    end
