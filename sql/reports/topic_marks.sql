-- title: Values of systems by topic as heights of marks, topics in the order of their means over the systems
-- inputs: topic_values
-- parameters:
--   marks integer in [1, inf) = 40    marks of each system; where topics are more, a mark has the mean of several
--   levels integer in [1, inf) = 8    heights that a mark can have
-- columns: qrels, run
--   mark         number from 1, the topics with the lowest means first
--   level        height from 1; 0 where the value is not known
--   lowest       value that the first height stands for: 0, or the least mark below it
--   highest      value that the last height stands for: the greatest mark
--   num_topics   topics of the judgment set
with topic_means as (
    select
        qrels,
        topic,
        sum(value order by run) / count(value) as value
    from topic_values
    group by qrels, topic
),
numbered as (
    select
        qrels,
        topic,
        ntile($marks) over (partition by qrels order by value, topic) as mark,
        count(*) over (partition by qrels) as num_topics
    from topic_means
),
marked as (
    select
        topic_values.qrels,
        topic_values.run,
        numbered.mark,
        numbered.num_topics,
        case
            when count(*) = count(topic_values.value)
            then sum(topic_values.value order by topic_values.topic) / count(*)
        end as value
    from topic_values
    join numbered using (qrels, topic)
    group by topic_values.qrels, topic_values.run, numbered.mark, numbered.num_topics
),
scaled as (
    select
        qrels,
        run,
        mark,
        num_topics,
        value,
        least(0, min(value) over (partition by qrels)) as lowest,
        max(value) over (partition by qrels) as highest
    from marked
)
select
    qrels,
    run,
    mark,
    case
        when value is null then 0
        when highest > lowest
        then 1 + cast(round(($levels - 1) * (value - lowest) / (highest - lowest)) as integer)
        else 1
    end as level,
    lowest,
    highest,
    num_topics
from scaled
order by qrels, run, mark
