-- title: The two rankings of each topic, for the pairs of runs compared, with the documents that both have
-- parameters: baseline, run, depth
--   baseline varchar = null   run compared with; null: every run
--   depth integer in [1, inf) = null   documents taken of each ranking; null is all
-- columns:
--   baseline_id   key of the run compared with
--   run_id        key of the run compared
--   topic_id      key of the topic
--   baseline_ret  documents that the baseline has for the topic, depth at most; 0 where it leaves the topic out
--   num_ret       the same of the run
--   place         the greater of the two ranks of a document that both have; null in one more row of each topic
-- definition: Topics are those that either run has documents for, judged or not. Rankings are total orders under the
--     tie rule that the run was loaded with.
with pairs as (
    select
        base.run_id as baseline_id,
        other.run_id as other_id
    from runs as base
    join runs as other on other.run_id <> base.run_id
    where
        base.run = coalesce($baseline, base.run)
        and other.run = coalesce($run, other.run)
        and ($baseline is not null or $run is not null or base.run < other.run)
),
pair_topics as (
    select
        pairs.*,
        run_topics.topic_id
    from pairs
    join run_topics on run_topics.run_id = pairs.baseline_id
    union
    select
        pairs.*,
        run_topics.topic_id
    from pairs
    join run_topics on run_topics.run_id = pairs.other_id
),
listed as (
    select
        retrieved.run_id,
        retrieved.topic_id,
        retrieved.document_id,
        retrieved.rank,
        least(run_topics.num_ret, coalesce($depth, run_topics.num_ret)) as num_ret,
        runs.run as name
    from retrieved
    join runs using (run_id)
    join run_topics
        on run_topics.run_id = retrieved.run_id
        and run_topics.topic_id = retrieved.topic_id
    where retrieved.rank <= coalesce($depth, retrieved.rank)
),
-- A row whose every column raises the error; no filter leaves it out.
unknown as (
    select cast(error(asked.parameter || ' is ' || asked.name || ', and no run is called so') as integer) as told
    from (values ('baseline', $baseline), ('run', $run)) as asked(parameter, name)
    where
        asked.name is not null
        and asked.name not in (select runs.run from runs)
)
select
    base.run_id as baseline_id,
    other.run_id,
    base.topic_id,
    base.num_ret as baseline_ret,
    other.num_ret,
    greatest(base.rank, other.rank) as place
from listed as base
join listed as other
    on other.topic_id = base.topic_id
    and other.document_id = base.document_id
    and other.run_id <> base.run_id
where
    base.name = coalesce($baseline, base.name)
    and other.name = coalesce($run, other.name)
    and ($baseline is not null or $run is not null or base.name < other.name)
union all
select
    pair_topics.baseline_id,
    pair_topics.other_id as run_id,
    pair_topics.topic_id,
    least(coalesce(base_topics.num_ret, 0), coalesce($depth, 2147483647)) as baseline_ret,
    least(coalesce(other_topics.num_ret, 0), coalesce($depth, 2147483647)) as num_ret,
    null as place
from pair_topics
left join run_topics as base_topics
    on base_topics.run_id = pair_topics.baseline_id
    and base_topics.topic_id = pair_topics.topic_id
left join run_topics as other_topics
    on other_topics.run_id = pair_topics.other_id
    and other_topics.topic_id = pair_topics.topic_id
union all
select
    told as baseline_id,
    told as run_id,
    told as topic_id,
    told as baseline_ret,
    told as num_ret,
    told as place
from unknown
