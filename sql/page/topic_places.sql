-- title: Where each run stands among all runs on each topic
-- inputs: ranked_values
-- columns: measure, run, topic, value
--   place       place among the runs from 1, equal values at the same one
--   num_runs    runs that have a value
--   lowest      least value of all runs
--   median      median of all runs
--   highest     greatest value of all runs
--   span        how far the greatest value is from the least
--   from_median how far the value is from the median
--   num_same    runs with the same value, itself among them
--   hardness    place of the topic among those of the run, from 1 for the one with the worst median
--   lag_place   place of the topic among those of the run, from 1 for the one where it is furthest behind their median
--   num_topics  topics on which the run has a value
--   num_behind  of these, how many it is worse on than their median
-- definition: The input has a sign with each value: 1 where more is better, -1 where less is.
with of_all as (
    select
        measure,
        topic,
        count(*) as num_runs,
        min(value) as lowest,
        median(value) as median,
        max(value) as highest,
        max(sign) as sign
    from ranked_values
    group by measure, topic
),
placed as (
    select
        ranked_values.measure,
        ranked_values.run,
        ranked_values.topic,
        ranked_values.value,
        rank() over (
            partition by ranked_values.measure, ranked_values.topic
            order by ranked_values.sign * ranked_values.value desc
        ) as place,
        of_all.num_runs,
        of_all.lowest,
        of_all.median,
        of_all.highest,
        of_all.highest - of_all.lowest as span,
        ranked_values.value - of_all.median as from_median,
        of_all.sign * of_all.median as goodness,
        of_all.sign * (ranked_values.value - of_all.median) as lead
    from ranked_values
    join of_all using (measure, topic)
)
select
    measure,
    run,
    topic,
    value,
    place,
    num_runs,
    lowest,
    median,
    highest,
    span,
    from_median,
    count(*) over (partition by measure, topic, place) as num_same,
    rank() over (partition by measure, run order by goodness) as hardness,
    rank() over (partition by measure, run order by lead) as lag_place,
    count(*) over (partition by measure, run) as num_topics,
    count(case when lead < 0 then 1 end) over (partition by measure, run) as num_behind
from placed
