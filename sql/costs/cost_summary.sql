-- title: What each run costs: mean, median and 95th percentile over the topics of the judgments, and the total
-- columns: qrels, run
--   cost         what the number is, its unit behind its name, as in latency_ms
--   mean         arithmetic mean over the topics that have a number
--   median       number in the middle of them
--   p95          95th percentile: 95 in 100 topics have this much at most
--   total        the number given for the whole run, else the sum over the topics that have one
--   whole_run    the number given for the whole run; null where none is
--   num_topics   topics that have a number
--   missing      topics of the judgments that have none, in the order of their names
-- definition: Quantiles are between neighbours by linear interpolation. A topic without a number is left out, and never
--     counts as 0; the numbers of the calls of a topic are added up where it has none of its own.
-- reference: Hyndman and Fan 1996, Sample quantiles in statistical packages, doi:10.2307/2684934, definition 7
with held as (
    select
        run_id,
        cost,
        max(case when topic_id is null then value end) as whole_run
    from costs
    group by run_id, cost
),
expected as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        held.cost,
        held.whole_run
    from evaluated_topics
    join held using (run_id)
)
select
    expected.qrels,
    expected.run,
    expected.cost,
    avg(topic_costs.value order by expected.topic) as mean,
    quantile_cont(topic_costs.value, 0.5) as median,
    quantile_cont(topic_costs.value, 0.95) as p95,
    coalesce(max(expected.whole_run), sum(topic_costs.value order by expected.topic)) as total,
    max(expected.whole_run) as whole_run,
    count(topic_costs.value) as num_topics,
    list(expected.topic order by expected.topic) filter (where topic_costs.value is null) as missing
from expected
left join topic_costs using (qrels, run, topic, cost)
group by expected.qrels, expected.run, expected.cost
