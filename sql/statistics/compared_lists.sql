-- title: Lengths of the two rankings of each topic, for the pairs of runs compared
-- parameters:
--   run varchar = null     one of the runs; null: every run
--   other varchar = null   the other; null: every other run. Where neither is given every pair comes once
--   depth integer in [1, inf) = null   documents taken of each ranking; null is all
-- columns:
--   run_id        key of the run
--   other_id      key of the other run
--   topic_id      key of the topic
--   run           name of the run
--   other         name of the other run
--   num_ret       documents that the run has for the topic, depth at most; 0 where it leaves the topic out
--   other_ret     the same of the other run
-- definition: Topics are those that either run has documents for, judged or not.
with pairs as (
    select
        first_run.run_id as run_id,
        second_run.run_id as other_id,
        first_run.run as first_name,
        second_run.run as second_name
    from runs as first_run
    join runs as second_run on second_run.run_id <> first_run.run_id
    where
        first_run.run = coalesce($run, first_run.run)
        and second_run.run = coalesce($other, second_run.run)
        and ($run is not null or $other is not null or first_run.run < second_run.run)
),
pair_topics as (
    select
        pairs.run_id,
        pairs.other_id,
        pairs.first_name,
        pairs.second_name,
        run_topics.topic_id
    from pairs
    join run_topics on run_topics.run_id = pairs.run_id
    union
    select
        pairs.run_id,
        pairs.other_id,
        pairs.first_name,
        pairs.second_name,
        run_topics.topic_id
    from pairs
    join run_topics on run_topics.run_id = pairs.other_id
)
select
    pair_topics.run_id,
    pair_topics.other_id,
    pair_topics.topic_id,
    pair_topics.first_name as run,
    pair_topics.second_name as other,
    least(coalesce(first_topics.num_ret, 0), coalesce($depth, 2147483647)) as num_ret,
    least(coalesce(second_topics.num_ret, 0), coalesce($depth, 2147483647)) as other_ret
from pair_topics
left join run_topics as first_topics
    on first_topics.run_id = pair_topics.run_id
    and first_topics.topic_id = pair_topics.topic_id
left join run_topics as second_topics
    on second_topics.run_id = pair_topics.other_id
    and second_topics.topic_id = pair_topics.topic_id
