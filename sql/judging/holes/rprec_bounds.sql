-- title: The least and the greatest R-precision, whatever grades the unjudged documents have
-- parameters: rel, most, unseen
-- columns: qrels, run, topic, least, greatest
-- definition: Each unjudged document that is relevant adds to R, and so moves the cutoff down. With R given, the value is
--    greatest where as many of the new relevant documents as can be stand among the first R, and least where as few do:
--    first those that are unseen or stand below are relevant. Extremes over all values of R. Below the last document
--    retrieved they are where all holes are relevant, or all that is unseen.
with ranks as (
    select
        evaluation_id,
        rank,
        count(case when grade >= $rel then 1 end) over down as rel_down,
        count(case when grade is null then 1 end) over down as holes_down
    from hole_ranks()
    window down as (
        partition by evaluation_id
        order by rank
        rows between unbounded preceding and current row
    )
),
counted as materialized (
    select
        evaluation_id,
        num_ret,
        num_rel,
        num_rel_ret,
        num_holes,
        new_rel,
        new_unseen
    from hole_counts(rel := $rel, most := $most, unseen := $unseen)
),
depths as (
    select
        counted.evaluation_id,
        ranks.rank as depth,
        ranks.rel_down,
        ranks.holes_down
    from counted
    join ranks on ranks.evaluation_id = counted.evaluation_id
    union all
    select
        counted.evaluation_id,
        counted.num_rel + added.num_new as depth,
        counted.num_rel_ret as rel_down,
        counted.num_holes as holes_down
    from counted
    join (
        select evaluation_id, 0 as num_new from counted
        union all
        select evaluation_id, new_rel as num_new from counted
        union all
        select evaluation_id, new_unseen as num_new from counted
    ) as added on added.evaluation_id = counted.evaluation_id
    where counted.num_rel + added.num_new > counted.num_ret
),
possible as (
    -- Of num_new documents new among the relevant ones this many stand among the first, at least and at most.
    select
        depths.evaluation_id,
        depths.depth,
        depths.rel_down,
        greatest(
            depths.depth - counted.num_rel - (counted.num_holes - depths.holes_down) - counted.new_unseen,
            0
        ) as least_new,
        least(depths.depth - counted.num_rel, depths.holes_down) as most_new
    from depths
    join counted on counted.evaluation_id = depths.evaluation_id
    where
        depths.depth >= greatest(counted.num_rel, 1)
        and depths.depth <= counted.num_rel + counted.new_rel + counted.new_unseen
),
extremes as (
    select
        evaluation_id,
        min(cast(rel_down + least_new as double) / depth) as least,
        max(cast(rel_down + most_new as double) / depth) as greatest
    from possible
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    -- Without relevant documents the value is 0, which may be at the least.
    case when counted.num_rel = 0 then 0 else coalesce(extremes.least, 0) end as least,
    coalesce(extremes.greatest, 0) as greatest
from evaluated_topics
join counted on counted.evaluation_id = evaluated_topics.evaluation_id
left join extremes on extremes.evaluation_id = evaluated_topics.evaluation_id
