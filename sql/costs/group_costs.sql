-- title: What each run costs on the topics of each group: mean, median, 95th percentile and sum
-- parameters:
--   group_key varchar = length   what the groups are; topic_groups has the keys that there are
-- columns: qrels
--   topic_group   group of its topics; null for the topics that are in none
--   run           run
--   cost          what the number is, its unit behind its name, as in latency_ms
--   mean          arithmetic mean over the topics of the group that have a number
--   median        number in the middle of them
--   p95           95th percentile: 95 in 100 topics have this much at most
--   total         sum over them
--   num_topics    topics of the group that have a number
-- definition: As cost_summary has it of all topics. A number that was given for the whole run is of no group.
-- reference: Hyndman and Fan 1996, Sample quantiles in statistical packages, doi:10.2307/2684934, definition 7
with grouped_topics as (
    select
        qrels,
        topic,
        topic_group
    from topic_groups
    where key = $group_key
)
select
    topic_costs.qrels,
    grouped_topics.topic_group,
    topic_costs.run,
    topic_costs.cost,
    avg(topic_costs.value order by topic_costs.topic) as mean,
    quantile_cont(topic_costs.value, 0.5) as median,
    quantile_cont(topic_costs.value, 0.95) as p95,
    sum(topic_costs.value order by topic_costs.topic) as total,
    count(*) as num_topics
from topic_costs
left join grouped_topics using (qrels, topic)
where topic_costs.qrels in (select qrels from grouped_topics)
group by topic_costs.qrels, grouped_topics.topic_group, topic_costs.run, topic_costs.cost
