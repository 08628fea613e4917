-- title: What is wrong with scores that are to be stored
-- inputs: staged, ranges
-- columns:
--   file     file of the first row concerned
--   reason   what is wrong with it
with paired as (
    select
        staged.file,
        staged.qrels,
        staged.run,
        staged.topic,
        staged.measure,
        staged.value,
        qrels.qrels_id,
        topics.topic_id
    from staged
    left join qrels using (qrels)
    left join topics on topics.topic = staged.topic
),
judged_topics as (
    select distinct
        qrels_id,
        topic_id
    from judged_documents
),
judged_counts as (
    select
        qrels_id,
        count(*) as num_topics
    from judged_topics
    group by qrels_id
),
judged as (
    select
        paired.*,
        judged_topics.topic_id is not null as is_judged
    from paired
    left join judged_topics using (qrels_id, topic_id)
),
answered as (
    select
        qrels,
        run,
        measure,
        min(file) as file,
        min(qrels_id) as qrels_id,
        count(distinct topic) as num_topics,
        count(*) as num_rows,
        min(case when not is_judged then topic end) as odd_topic
    from judged
    where qrels_id is not null
    group by qrels, run, measure
)
select
    min(file) as file,
    concat('judgments ', qrels, ' are not here; evalsql load qrels FILE --name ', qrels, ' loads them, or --qrels names others')
        as reason
from paired
where qrels_id is null
group by qrels
union all
select
    min(file) as file,
    concat('run ', run, ', topic ', min(topic), ': the value of ', min(measure), ' is no finite number such as 0.25')
        as reason
from paired
where not coalesce(isfinite(value), false)
group by run
union all
select
    min(paired.file) as file,
    concat(
        'run ', paired.run, ', topic ', min(paired.topic), ': ', paired.measure, ' is ',
        arg_min(paired.value, paired.topic), ', but must be from ', replace(min(ranges.range), ' ', ' to ')
    ) as reason
from paired
join ranges using (measure)
where
    isfinite(paired.value)
    -- Rounding may take a value across the bound.
    and paired.value not between ranges.least - 1e-9 and ranges.greatest + 1e-9
group by paired.run, paired.measure
union all
select
    answered.file,
    case
        when answered.odd_topic is not null then concat(
            'run ', answered.run, ' has a value of ', answered.measure, ' for topic ', answered.odd_topic,
            ', which judgments ', answered.qrels, ' do not have'
        )
        when answered.num_rows > answered.num_topics then concat(
            'run ', answered.run, ' has several values of ', answered.measure, ' for one topic'
        )
        else concat(
            'run ', answered.run, ' has values of ', answered.measure, ' for ', answered.num_topics, ' of the ',
            judged_counts.num_topics, ' topics of judgments ', answered.qrels, '; a mean over them would be another'
        )
    end as reason
from answered
join judged_counts using (qrels_id)
where
    answered.odd_topic is not null
    or answered.num_rows <> judged_counts.num_topics
