-- title: The least and the greatest R-precision, whatever grades the unjudged documents have
-- parameters: rel, most, unseen
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Each unjudged document that is relevant adds to R, and so moves the cutoff down. With R given, the value is
--    greatest where as many of the new relevant documents as can be stand among the first R, and least where as few do:
--    first those that are unseen or stand below are relevant. Extremes over the values of R. The greatest value is above
--    a document judged not relevant, or at the last rank that R can reach. The least is above a relevant document, or at
--    the turn: from there on the unseen and the holes below are fewer than the new relevant documents, so that each
--    further one stands among the first R. Below the last document retrieved they are where all holes are relevant, or
--    all that is unseen.
with counted as materialized (
    select
        evaluation_id,
        num_ret,
        num_rel,
        num_rel_ret,
        num_holes,
        num_unseen,
        new_rel,
        new_unseen,
        least(num_ret, num_rel + new_rel + new_unseen) as last_depth,
        num_rel + num_holes + new_unseen as turn_sum
    from hole_counts(rel := $rel, most := $most, unseen := $unseen)
),
judged_places as materialized (
    select
        evaluation_id,
        rank,
        rank - judged_rank as holes_down,
        relevant_rank - 1 as rel_above,
        relevant_rank as rel_down
    from relevant_ranks(rel := $rel)
    union all
    select
        evaluation_id,
        rank,
        rank - judged_rank as holes_down,
        judged_rank - others_down as rel_above,
        judged_rank - others_down as rel_down
    from other_ranks(rel := $rel)
),
above_judged as (
    select
        evaluation_id,
        rank - 1 as depth,
        rel_above as rel_down,
        holes_down
    from judged_places
),
limits as (
    -- Down to the last depth, and as far as rank and holes down to it together are no more than can be relevant.
    select
        counted.evaluation_id,
        counted.num_ret,
        counted.last_depth,
        counted.turn_sum,
        coalesce(max(case when judged.rank <= counted.last_depth then judged.rel_down end), 0) as last_rel_down,
        count(case when judged.rank <= counted.last_depth then 1 end) as last_judged_down,
        coalesce(
            max(case when judged.rank + judged.holes_down <= counted.turn_sum then judged.rank end),
            0
        ) as turn_rank,
        coalesce(
            max(case when judged.rank + judged.holes_down <= counted.turn_sum then judged.rel_down end),
            0
        ) as turn_rel_down,
        coalesce(
            max(case when judged.rank + judged.holes_down <= counted.turn_sum then judged.holes_down end),
            0
        ) as turn_holes_down
    from counted
    left join judged_places as judged using (evaluation_id)
    group by counted.evaluation_id, counted.num_ret, counted.last_depth, counted.turn_sum
),
above_turn as (
    select
        *,
        greatest(
            least(cast(floor((turn_sum - turn_rank - turn_holes_down) / 2) as bigint), num_ret - turn_rank),
            0
        ) as further
    from limits
),
depths as (
    select * from above_judged
    union all
    select
        evaluation_id,
        last_depth as depth,
        last_rel_down as rel_down,
        last_depth - last_judged_down as holes_down
    from limits
    union all
    select
        evaluation_id,
        turn_rank + further as depth,
        turn_rel_down as rel_down,
        turn_holes_down + further as holes_down
    from above_turn
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
    ) as added using (evaluation_id)
    where counted.num_rel + added.num_new > counted.num_ret
),
possible as (
    -- How many of num_new new relevant documents are among the first, at least and at most.
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
    join counted using (evaluation_id)
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
    coalesce(extremes.greatest, 0) as greatest,
    counted.num_holes,
    counted.num_unseen
from evaluated_topics
join counted using (evaluation_id)
left join extremes using (evaluation_id)
