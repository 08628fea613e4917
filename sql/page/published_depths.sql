-- title: How much of each ranking a published copy of the warehouse holds
-- parameters:
--   depth integer in [1, inf) = 50   documents of each ranking at least
-- columns: run_id, topic_id
--   depth   documents that the copy holds, from the first on
-- definition: The first documents of each ranking, and as many more as TAP-5 keeps, so that its value is the same. Of a
--    ranking that is not in the order of its scores all, for there TAP may keep any of them.
with kept as (
    select
        runs.run_id,
        topics.topic_id,
        max(tap.num_kept) as num_kept
    from tap(k := 5) as tap
    join runs using (run)
    join topics on topics.topic = tap.topic
    group by runs.run_id, topics.topic_id
)
select
    run_topics.run_id,
    run_topics.topic_id,
    case
        when runs.tie_rule in ('rank', 'input') then run_topics.num_ret
        else greatest(cast($depth as bigint), coalesce(kept.num_kept, 0))
    end as depth
from run_topics
join runs using (run_id)
left join kept
    on kept.run_id = run_topics.run_id
    and kept.topic_id = run_topics.topic_id
