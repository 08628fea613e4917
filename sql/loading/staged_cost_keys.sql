-- title: Staged costs with keys in the place of names, and each number read
-- inputs: staged
-- columns:
--   file      file, or a word for rows in memory
--   line      line of the file, or number of the row; 0 where neither is known
--   run       run as the row names it; empty where it names none
--   topic     topic as the row names it; empty for a number of the whole run
--   call      call as the row names it; empty for a number of the whole topic
--   cost      what the number is
--   given     the number as it is written
--   run_id    key of the run; null where none is called so
--   topic_id  key of the topic; null where the run has none that is called so
--   number    the call's number; null where it is no whole number from 1
--   value     the number; null where it is none
-- definition: A run has the topics of its rankings, of its stored scores and of the judgments that evaluate it.
with cleaned as (
    select
        file,
        line,
        trim(coalesce(run, '')) as run,
        trim(coalesce(topic, '')) as topic,
        trim(coalesce(call, '')) as call,
        trim(coalesce(cost, '')) as cost,
        trim(coalesce(value, '')) as given
    from staged
),
known_topics as (
    select run_id, topic_id
    from run_topics
    union
    select run_id, topic_id
    from evaluations
    union
    select run_id, topic_id
    from stored_scores
),
topics_of_runs as (
    select
        known_topics.run_id,
        known_topics.topic_id,
        topics.topic
    from known_topics
    join topics on topics.topic_id = known_topics.topic_id
)
select
    cleaned.file,
    cleaned.line,
    cleaned.run,
    cleaned.topic,
    cleaned.call,
    cleaned.cost,
    cleaned.given,
    runs.run_id,
    topics_of_runs.topic_id,
    case when regexp_full_match(cleaned.call, '[1-9][0-9]{0,8}') then cast(cleaned.call as integer) end as number,
    -- The engine would read 1_000 as a thousand.
    case when not contains(cleaned.given, '_') then try_cast(cleaned.given as double) end as value
from cleaned
left join runs on runs.run = cleaned.run
left join topics_of_runs
    on topics_of_runs.run_id = runs.run_id
    and topics_of_runs.topic = cleaned.topic
