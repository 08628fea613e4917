-- title: Documents that two runs both retrieve for a topic, with the place from which on both have them
-- parameters: baseline, run, depth
--   baseline varchar = null   run compared with; null: every run
--   depth integer in [1, inf) = null   documents taken of each ranking; null is all
-- columns:
--   baseline_id   key of the run compared with
--   run_id        key of the run compared
--   topic_id      key of the topic
--   place         the greater of the document's two ranks
--   in_shorter    whether that place lies within the shorter ranking
-- definition: Rankings are total orders under the tie rule that the run was loaded with.
with chosen as (
    select
        retrieved.run_id,
        retrieved.topic_id,
        retrieved.document_id,
        retrieved.rank,
        run_topics.num_ret,
        runs.run as name
    from retrieved
    join runs on runs.run_id = retrieved.run_id
    join run_topics
        on run_topics.run_id = retrieved.run_id
        and run_topics.topic_id = retrieved.topic_id
    where retrieved.rank <= coalesce($depth, retrieved.rank)
)
select
    base.run_id as baseline_id,
    other.run_id,
    base.topic_id,
    greatest(base.rank, other.rank) as place,
    greatest(base.rank, other.rank) <= least(base.num_ret, other.num_ret) as in_shorter
from chosen as base
join chosen as other
    on other.topic_id = base.topic_id
    and other.document_id = base.document_id
    and other.run_id <> base.run_id
where
    base.name = coalesce($baseline, base.name)
    and other.name = coalesce($run, other.name)
    and ($baseline is not null or $run is not null or base.name < other.name)
