-- title: Points that each run gives each candidate by Borda's count
-- parameters: runs, weights
-- columns:
--   place            place of the run in the list, from 1
--   weight           its weight
--   topic_id         key of the topic
--   document_id      key of a document that any of the runs retrieved for the topic
--   points           its points
--   num_candidates   documents that any of the runs retrieved for the topic
-- definition: With c candidates the first document of a run has c points, the next c - 1, and so on. Those that the run
--     did not retrieve have the mean of the points left over.
with ranks as (
    select
        place,
        topic_id,
        document_id,
        rank
    from fused_ranks(runs := $runs)
),
candidates as (
    select
        topic_id,
        document_id
    from ranks
    group by topic_id, document_id
),
num_candidates as (
    select
        topic_id,
        count(*) as num_candidates
    from candidates
    group by topic_id
),
num_ranked as (
    select
        place,
        topic_id,
        count(*) as num_ranked
    from ranks
    group by place, topic_id
)
select
    listed.place,
    listed.weight,
    candidates.topic_id,
    candidates.document_id,
    case
        when ranks.rank is not null then num_candidates.num_candidates - ranks.rank + 1
        else (num_candidates.num_candidates - coalesce(num_ranked.num_ranked, 0) + 1) / cast(2 as double)
    end as points,
    num_candidates.num_candidates
from candidates
cross join known_runs(runs := $runs, weights := $weights) as listed
join num_candidates using (topic_id)
left join num_ranked using (topic_id, place)
left join ranks using (topic_id, document_id, place)
