-- title: Topics of the staged rows that have no key yet
-- inputs: staged_topics
-- columns:
--   topic_id   key, going on from the greatest there is, in the order of the names
--   topic      name
with greatest_key as (
    select coalesce(max(topic_id), 0) as topic_id
    from topics
),
unknown as (
    select distinct staged_topics.topic
    from staged_topics
    where not exists (
        select 1
        from topics
        where topics.topic = staged_topics.topic
    )
)
select
    cast(greatest_key.topic_id + row_number() over (order by unknown.topic) as integer) as topic_id,
    unknown.topic
from unknown
cross join greatest_key
