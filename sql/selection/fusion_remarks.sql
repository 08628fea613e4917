-- title: What is to be said of the topics of runs that are to be fused
-- parameters:
--   runs varchar = null   names of the runs, separated by commas without blanks
--   norm varchar = null   how scores are made comparable
-- columns:
--   place      1 for the first line
--   is_fault   whether the runs cannot be fused so
--   remark     a line on the topics that some of the runs lack, or on a topic without a score that the norm max can divide by
with fused as (
    select
        run_id,
        run,
        lower_is_better
    from named_runs(runs := $runs)
),
partial as (
    select count(*) as num_topics
    from (
        select run_topics.topic_id
        from run_topics
        join fused using (run_id)
        group by run_topics.topic_id
        having count(*) < (select count(*) from fused)
    ) as lacking
),
undivided as (
    select
        fused.run,
        topics.topic
    from retrieved
    join fused using (run_id)
    join topics using (topic_id)
    where $norm = 'max'
    group by fused.run, topics.topic
    having max(case when fused.lower_is_better then -retrieved.score else retrieved.score end) <= 0
    order by fused.run, topics.topic
    limit 1
)
select
    1 as place,
    false as is_fault,
    case
        when num_topics = 1
            then '1 topic is not in all of these runs; it is fused from what has documents for it'
        else format('{:,} topics are not in all of these runs; they are fused from what has documents for them', num_topics)
    end as remark
from partial
where num_topics > 0
union all
select
    2 as place,
    true as is_fault,
    concat('norm max divides by the best score, and ', run, ' has none above 0 for topic ', topic) as remark
from undivided
