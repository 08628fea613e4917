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
--   has_calls whether the run has several calls of the topic
--   number    the call's place; null where there is no such call, or it is no whole number from 1
--   value     the number; null where it is none
-- definition: A call is one that the run has of the topic, by its name; where the run has none, a number. A run has the topics of its rankings, of its stored scores and of the judgments that evaluate it.
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
    join topics using (topic_id)
),
calls as (
    select distinct
        run_id,
        topic_id,
        call,
        coalesce(call_name, cast(call as varchar)) as name
    from call_ranks
),
topics_with_calls as (
    select distinct
        run_id,
        topic_id
    from calls
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
    topics_with_calls.run_id is not null as has_calls,
    case
        when topics_with_calls.run_id is not null then calls.call
        when regexp_full_match(cleaned.call, '[1-9][0-9]{0,8}') then cast(cleaned.call as integer)
    end as number,
    -- The engine would read 1_000 as a thousand.
    case when not contains(cleaned.given, '_') then try_cast(cleaned.given as double) end as value
from cleaned
left join runs using (run)
left join topics_of_runs
    on topics_of_runs.run_id = runs.run_id
    and topics_of_runs.topic = cleaned.topic
left join topics_with_calls
    on topics_with_calls.run_id = topics_of_runs.run_id
    and topics_with_calls.topic_id = topics_of_runs.topic_id
left join calls
    on calls.run_id = topics_of_runs.run_id
    and calls.topic_id = topics_of_runs.topic_id
    and calls.name = cleaned.call
