-- title: The mean of each measure over the topics of each group
-- parameters:
--   group_key varchar = length   what the groups are; topic_groups has the keys that there are
-- columns: qrels
--   topic_group   group of its topics; null for the topics that are in none
--   run           run
--   measure       canonical name of the measure
--   value         mean over the topics of the group; for counts the sum, for measures that say so the geometric mean or
--                 that by the topics' weights
--   num_topics    topics of the group
-- definition: The values of topics are those of the whole judgment set, averaged as mean_values averages them.
--    Judgment sets without such groups are left out.
with grouped_topics as (
    select
        qrels,
        topic,
        topic_group
    from topic_groups
    where key = $group_key
),
given_weights as (
    select
        qrels.qrels,
        topics.topic,
        topic_weights.weight
    from topic_weights
    join qrels using (qrels_id)
    join topics on topics.topic_id = topic_weights.topic_id
    where qrels.replaced_at is null
),
grouped_values as (
    select
        scores.qrels,
        grouped_topics.topic_group,
        scores.run,
        scores.measure,
        scores.topic,
        scores.value,
        measures.mean,
        case
            when contains(scores.measure, 'weighted=false') then 1
            else coalesce(given_weights.weight, 1)
        end as weight,
        case
            when scores.value > 0 then ln(scores.value)
            else 0
        end as logarithm
    from scores
    join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
    left join grouped_topics
        on grouped_topics.qrels = scores.qrels
        and grouped_topics.topic = scores.topic
    left join given_weights
        on given_weights.qrels = scores.qrels
        and given_weights.topic = scores.topic
    where scores.qrels in (select qrels from grouped_topics)
)
select
    qrels,
    topic_group,
    run,
    measure,
    -- The order makes sums the same to the last digit each time.
    case
        when mean = 'sum' then sum(value order by topic)
        when mean = 'arithmetic' then sum(value order by topic) / count(*)
        when mean = 'weighted' then sum(value * weight order by topic) / sum(weight order by topic)
        when min(value) <= 0 then 0
        else exp(sum(logarithm order by topic) / count(*))
    end as value,
    count(*) as num_topics
from grouped_values
group by qrels, topic_group, run, measure, mean
