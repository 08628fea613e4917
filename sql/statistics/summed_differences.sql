-- title: How far each run is from a baseline: means, deviation, wins and losses
-- parameters: baseline, tolerance
-- columns: qrels, measure, baseline, run
--   scale           linear, or logarithmic for measures whose mean is geometric
--   num_topics      topics that both have a value for
--   baseline_mean   mean of the baseline, geometric on the logarithmic scale; every topic weighs the same
--   mean            mean of the run
--   difference      mean difference, of logarithms on the logarithmic scale
--   deviation       standard deviation of the differences; null for one topic, 0 where all differ by the same
--   wins            topics where the value of the run is greater
--   ties            topics where they differ by the tolerance at most
--   losses          topics where the value of the baseline is greater
--   note            identical (no topic differs), one topic, constant difference (all topics differ by the same); else
--                   null
-- definition: Over differences topic by topic; those up to 5e-13, and spreads up to 1e-13 of the greatest value, are
--     rounding and count as none. The relation differences adds what takes a quantile of Student's t, which is slow to
--     plan.
with gathered as (
    -- Lists in the order of topics, so that no digit of their sums depends on the order of the rows. A sum with an order
    -- of its own takes DuckDB 1.5 50 kB.
    select
        pairs.qrels,
        pairs.measure,
        pairs.baseline,
        pairs.run,
        pairs.scale,
        list_sort(
            list(
                {
                    'topic': pairs.topic,
                    'baseline_value': pairs.baseline_value,
                    'run_value': pairs.value,
                    'difference': pairs.difference
                }
            )
        ) as topics,
        min(pairs.baseline_value) as least_baseline_value,
        min(pairs.value) as least_run_value,
        max(pairs.difference) - min(pairs.difference) as spread,
        max(greatest(abs(pairs.baseline_value), abs(pairs.value))) as greatest_value,
        count(case when round(pairs.difference, 12) <> 0 then 1 end) as num_differing,
        count(case when round(pairs.difference, 12) > cast($tolerance as double) then 1 end) as wins,
        count(case when round(pairs.difference, 12) < -cast($tolerance as double) then 1 end) as losses
    from paired_differences(baseline := $baseline) as pairs
    group by pairs.qrels, pairs.measure, pairs.baseline, pairs.run, pairs.scale
),
lists as (
    select
        gathered.*,
        len(gathered.topics) as num_topics,
        list_transform(gathered.topics, lambda each: each.baseline_value) as baseline_values,
        list_transform(gathered.topics, lambda each: each.run_value) as run_values,
        list_transform(gathered.topics, lambda each: each.difference) as differences
    from gathered
),
summed as (
    select
        lists.qrels,
        lists.measure,
        lists.baseline,
        lists.run,
        lists.scale,
        lists.num_topics,
        case
            when lists.scale = 'linear' then list_sum(lists.baseline_values) / lists.num_topics
            when lists.least_baseline_value <= 0 then 0
            else exp(
                list_sum(list_transform(lists.baseline_values, lambda each: ln(greatest(each, 0.00001))))
                / lists.num_topics
            )
        end as baseline_mean,
        case
            when lists.scale = 'linear' then list_sum(lists.run_values) / lists.num_topics
            when lists.least_run_value <= 0 then 0
            else exp(
                list_sum(list_transform(lists.run_values, lambda each: ln(greatest(each, 0.00001)))) / lists.num_topics
            )
        end as mean,
        list_sum(lists.differences) / lists.num_topics as difference,
        list_aggregate(lists.differences, 'stddev_samp') as deviation,
        lists.spread,
        lists.greatest_value,
        lists.num_differing,
        lists.wins,
        lists.losses
    from lists
)
select
    summed.qrels,
    summed.measure,
    summed.baseline,
    summed.run,
    summed.scale,
    summed.num_topics,
    summed.baseline_mean,
    summed.mean,
    summed.difference,
    case
        when summed.num_topics = 1 then null
        when summed.spread <= 1e-13 * summed.greatest_value or summed.num_differing = 0 then 0
        else summed.deviation
    end as deviation,
    summed.wins,
    summed.num_topics - summed.wins - summed.losses as ties,
    summed.losses,
    case
        when summed.num_differing = 0 then 'identical'
        when summed.num_topics = 1 then 'one topic'
        when summed.spread <= 1e-13 * summed.greatest_value then 'constant difference'
    end as note
from summed
