-- title: How many nuggets each topic has, and how many of them the answer of each run supports in full and in part
-- columns: qrels, run, topic
--   num_vital      vital nuggets
--   num_okay       okay nuggets
--   vital_full     vital nuggets that the answer supports in full
--   vital_partly   vital nuggets that it supports in part
--   okay_full      okay nuggets that it supports in full
--   okay_partly    okay nuggets that it supports in part
with held as (
    select
        answered_topics.qrels,
        answered_topics.run,
        answered_topics.topic,
        nuggets.importance,
        nugget_assignments.assignment
    from answered_topics
    join nuggets using (qrels_id, topic_id)
    left join nugget_assignments
        on nugget_assignments.run_id = answered_topics.run_id
        and nugget_assignments.qrels_id = nuggets.qrels_id
        and nugget_assignments.topic_id = nuggets.topic_id
        and nugget_assignments.nugget = nuggets.nugget
    where answered_topics.kind = 'nuggets'
)
select
    qrels,
    run,
    topic,
    cast(count(case when importance = 'vital' then 1 end) as double) as num_vital,
    cast(count(case when importance = 'okay' then 1 end) as double) as num_okay,
    cast(count(case when importance = 'vital' and assignment = 'support' then 1 end) as double) as vital_full,
    cast(count(case when importance = 'vital' and assignment = 'partial_support' then 1 end) as double) as vital_partly,
    cast(count(case when importance = 'okay' and assignment = 'support' then 1 end) as double) as okay_full,
    cast(count(case when importance = 'okay' and assignment = 'partial_support' then 1 end) as double) as okay_partly
from held
group by qrels, run, topic
