-- title: The least and the greatest PRES, whatever grades the unjudged documents have
-- parameters: k, rel, most, unseen
--   k integer in [1, inf) = 1000    documents that the reader is willing to look at
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
-- definition: Each relevant document among the first k adds k less the number of others above it; PRES is the sum divided
--    by k R. With the number of relevant holes given it is greatest where the highest are relevant, and least where the
--    lowest are. A further one adds k and 1 for each relevant document, less 1 for each judged one above it and each
--    hole above it that is not relevant. Downwards each adds no more than the one before it, and as much within a gap:
--    the greatest value is at the end of a gap. Upwards each adds more than the one before it: the least value is in the
--    highest gap whose lowest hole makes it less. Values rise to the greatest and fall to the least, so that either is
--    in the block whose end has the best one, or in the next. All that is unseen is relevant at the least, and nothing
--    of it at the greatest.
with relevant_sums as (
    select
        evaluation_id,
        sum(cast($k as double) + relevant_rank - rank) as total
    from relevant_ranks(rel := $rel)
    where rank <= $k
    group by evaluation_id
),
ends as materialized (
    -- How many judged documents are above each hole, added up over the holes down to the end of a block.
    select
        *,
        cast(last_rank as double) * (last_rank + 1) / 2
            - cast(holes_down as double) * (holes_down + 1) / 2 - judged_ranks as judged_above
    from hole_blocks(k := $k)
),
hole_sums as (
    select
        evaluation_id,
        max(judged_above) as judged_above
    from ends
    group by evaluation_id
),
counted as materialized (
    select
        counts.qrels,
        counts.run,
        counts.topic,
        counts.evaluation_id,
        counts.num_holes,
        counts.num_unseen,
        counts.new_rel,
        cast(counts.num_rel as double) as num_rel,
        cast(counts.num_rel + counts.new_unseen as double) as num_rel_with_unseen,
        cast($k + counts.num_rel_ret as double) as most_added,
        coalesce(relevant_sums.total, 0) as total,
        coalesce(hole_sums.judged_above, 0) as judged_above
    from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen) as counts
    left join relevant_sums using (evaluation_id)
    left join hole_sums using (evaluation_id)
),
end_values as (
    select
        ends.*,
        (
            counted.total - counted.judged_above + ends.judged_above
            + (counted.num_holes - ends.holes_down) * (counted.most_added - ends.holes_down)
        ) / nullif(counted.num_rel_with_unseen + counted.num_holes - ends.holes_down, 0) as least,
        (counted.total + ends.holes_down * counted.most_added - ends.judged_above)
            / nullif(counted.num_rel + ends.holes_down, 0) as greatest
    from ends
    join counted using (evaluation_id)
    where counted.new_rel > 0
),
compared as (
    select
        *,
        min(least) over (partition by evaluation_id) as best_least,
        max(greatest) over (partition by evaluation_id) as best_greatest,
        lag(least) over down as least_above,
        lag(greatest) over down as greatest_above
    from end_values
    window down as (
        partition by evaluation_id
        order by block
    )
),
looked_at as (
    select *
    from compared
    where
        holes_down > holes_above
        and (
            best_least in (least, least_above)
            or best_greatest in (greatest, greatest_above)
        )
),
places as (
    select
        looked_at.evaluation_id,
        judged.judged_rank,
        judged.rank as rank_above,
        coalesce(lag(judged.rank) over up - 1, looked_at.last_rank) as last_rank,
        looked_at.judged_ranks - sum(judged.rank) over up + judged.rank as judged_ranks
    from looked_at
    join ranks_in_blocks(k := $k) as judged using (evaluation_id, block)
    window up as (
        partition by judged.evaluation_id, judged.block
        order by judged.rank desc
        rows between unbounded preceding and current row
    )
),
gaps as materialized (
    select
        places.evaluation_id,
        places.judged_rank,
        places.last_rank - places.rank_above as size,
        places.last_rank - places.judged_rank as holes_down,
        cast(places.last_rank as double) * (places.last_rank + 1) / 2
            - cast(places.last_rank - places.judged_rank as double) * (places.last_rank - places.judged_rank + 1) / 2
            - places.judged_ranks as judged_above
    from places
    where places.last_rank > places.rank_above
),
filled_below as materialized (
    -- All holes below the gap are relevant.
    select
        gaps.evaluation_id,
        gaps.size,
        gaps.judged_rank,
        counted.num_rel_with_unseen + counted.num_holes - gaps.holes_down as num_rel,
        counted.total - counted.judged_above + gaps.judged_above
            + (counted.num_holes - gaps.holes_down) * (counted.most_added - gaps.holes_down) as total,
        counted.most_added + counted.num_holes - 2 * gaps.holes_down - gaps.judged_rank as added,
        gaps.holes_down
    from gaps
    join counted using (evaluation_id)
),
turns as (
    select
        evaluation_id,
        min(holes_down) as holes_down
    from filled_below
    where (added + 1) * num_rel < total
    group by evaluation_id
),
lowest_holes as (
    select
        filled_below.*,
        unnest(range(1, filled_below.size + 1)) as num_new
    from filled_below
    join turns using (evaluation_id, holes_down)
),
candidates as (
    select
        evaluation_id,
        min((total + num_new * (added + num_new)) / nullif(num_rel + num_new, 0)) as least,
        null as greatest
    from lowest_holes
    group by evaluation_id
    union all
    select
        gaps.evaluation_id,
        null as least,
        max(
            (counted.total + gaps.holes_down * counted.most_added - gaps.judged_above)
            / (counted.num_rel + gaps.holes_down)
        ) as greatest
    from gaps
    join counted using (evaluation_id)
    group by gaps.evaluation_id
    union all
    -- No hole is relevant.
    select
        evaluation_id,
        total / nullif(num_rel_with_unseen, 0) as least,
        total / nullif(num_rel, 0) as greatest
    from counted
),
extremes as (
    select
        evaluation_id,
        min(least) as least,
        max(greatest) as greatest
    from candidates
    group by evaluation_id
)
select
    counted.qrels,
    counted.run,
    counted.topic,
    coalesce(extremes.least / $k, 0) as least,
    coalesce(extremes.greatest / $k, 0) as greatest,
    counted.num_holes,
    counted.num_unseen
from counted
join extremes using (evaluation_id)
