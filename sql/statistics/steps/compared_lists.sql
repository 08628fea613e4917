-- title: Lengths of the two rankings of each topic, for the pairs of runs compared
-- parameters: baseline, run, depth
--   baseline varchar = null   run compared with; null: every run
--   depth integer in [1, inf) = null   documents taken of each ranking; null is all
-- columns:
--   baseline_id   key of the run compared with
--   run_id        key of the run compared
--   topic_id      key of the topic
--   baseline      run compared with
--   run           run compared
--   baseline_ret  documents that the baseline has for the topic, depth at most; 0 where it leaves the topic out
--   num_ret       the same of the run
-- definition: Topics are those that either run has documents for, judged or not.
with pairs as (
    select
        base.run_id as baseline_id,
        other.run_id as other_id,
        base.run as baseline_name,
        other.run as other_name
    from runs as base
    join runs as other on other.run_id <> base.run_id
    where
        base.run = coalesce($baseline, base.run)
        and other.run = coalesce($run, other.run)
        and ($baseline is not null or $run is not null or base.run < other.run)
),
pair_topics as (
    select
        pairs.baseline_id,
        pairs.other_id,
        pairs.baseline_name,
        pairs.other_name,
        run_topics.topic_id
    from pairs
    join run_topics on run_topics.run_id = pairs.baseline_id
    union
    select
        pairs.baseline_id,
        pairs.other_id,
        pairs.baseline_name,
        pairs.other_name,
        run_topics.topic_id
    from pairs
    join run_topics on run_topics.run_id = pairs.other_id
)
select
    pair_topics.baseline_id,
    pair_topics.other_id as run_id,
    pair_topics.topic_id,
    pair_topics.baseline_name as baseline,
    pair_topics.other_name as run,
    least(coalesce(base_topics.num_ret, 0), coalesce($depth, 2147483647)) as baseline_ret,
    least(coalesce(other_topics.num_ret, 0), coalesce($depth, 2147483647)) as num_ret
from pair_topics
left join run_topics as base_topics
    on base_topics.run_id = pair_topics.baseline_id
    and base_topics.topic_id = pair_topics.topic_id
left join run_topics as other_topics
    on other_topics.run_id = pair_topics.other_id
    and other_topics.topic_id = pair_topics.topic_id
