-- title: Documents that two runs both retrieve for a topic, with the place from which on both have them
-- parameters:
--   run varchar = null     one of the runs; null: every run
--   other varchar = null   the other; null: every other run. Where neither is given every pair comes once
--   depth integer in [1, inf) = null   documents taken of each ranking; null is all
-- columns:
--   run_id        key of the run
--   other_id      key of the other run
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
    listed.run_id,
    others.run_id as other_id,
    listed.topic_id,
    greatest(listed.rank, others.rank) as place,
    greatest(listed.rank, others.rank) <= least(listed.num_ret, others.num_ret) as in_shorter
from chosen as listed
join chosen as others
    on others.topic_id = listed.topic_id
    and others.document_id = listed.document_id
    and others.run_id <> listed.run_id
where
    listed.name = coalesce($run, listed.name)
    and others.name = coalesce($other, others.name)
    and ($run is not null or $other is not null or listed.name < others.name)
