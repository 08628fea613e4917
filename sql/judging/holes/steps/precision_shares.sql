-- title: The least and the greatest share that the sum of precisions has of the relevant documents
-- parameters: k, rel, most, unseen, prior
--   prior integer in [0, 1] = 0   what is added to the sum, and twice to the number of relevant documents
-- columns: qrels, run, topic, num_holes, num_unseen
--   least      least share; all that is unseen is relevant
--   greatest   greatest share; nothing of it is
-- definition: With the number of relevant holes given, the sum is greatest where the highest are relevant, and
--    least where the lowest are. Others are documents judged not relevant. If all holes down to rank r are relevant,
--    rank s down to r has the precision 1 - others above / s, unless it is one of the others. Added up over these
--    ranks that is r - others (1 + 1/1 + ... + 1/r) + the sum over the others of 1/1 + ... + 1/rank + others above /
--    rank. Less what the ranks add without holes it is their gain. Each of these holes also adds 1 / rank at each
--    relevant rank below. If the holes below r are relevant instead, the gain is that of all ranks less that of r
--    ranks, and each hole above takes 1 / rank from each rank below, unless it is one of the others. Downwards each
--    hole of a gap between two judged documents adds no less than the one before it, so that the greatest share is at
--    the end of a gap; the least is anywhere. Shares are computed at the ends of blocks of 16 judged documents first,
--    and then only in blocks that could have a better one if each of their holes added the least that it may.
with counts as materialized (
    select
        *,
        least(coalesce($k, num_ret), num_ret) as depth
    from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen)
),
reciprocals as materialized (
    select
        rank,
        sum(case when rank = 0 then 0 else 1 / cast(rank as double) end) over (
            order by rank
            rows between unbounded preceding and current row
        ) as total
    from (select unnest(range(0, 1 + coalesce((select max(depth) from counts), 0))) as rank) as ranks
),
precisions as (
    select
        evaluation_id,
        fsum(relevant_rank / cast(rank as double)) as total
    from relevant_ranks(rel := $rel)
    where rank <= coalesce($k, 2147483647)
    group by evaluation_id
),
evaluated as materialized (
    select
        counts.*,
        counts.num_rel + 2 * $prior as divisor,
        counts.num_rel + 2 * $prior + counts.new_unseen + counts.num_holes as full_divisor,
        $prior + coalesce(precisions.total, 0) as total,
        -- Where all holes are relevant, but for what is summed up from each judged document.
        $prior + coalesce(precisions.total, 0) + counts.depth
            - (counts.depth - counts.num_holes - counts.num_rel_ret) * (1 + reciprocals.total) as full_total,
        reciprocals.total as weights
    from counts
    join reciprocals on reciprocals.rank = counts.depth
    left join precisions using (evaluation_id)
),
others as materialized (
    select *
    from other_ranks(k := $k, rel := $rel)
),
judged_rows as not materialized (
    select
        evaluation_id,
        rank,
        judged_rank,
        judged_rank - relevant_rank as others_down,
        (judged_rank + 15) >> 4 as block,
        true as is_relevant,
        -relevant_rank / cast(rank as double) as gain
    from relevant_ranks(rel := $rel)
    where rank <= coalesce($k, 2147483647)
    union all
    select
        others.*,
        (others.judged_rank + 15) >> 4 as block,
        false as is_relevant,
        reciprocals.total + (others.others_down - 1) / cast(others.rank as double) as gain
    from others
    join reciprocals using (rank)
    union all
    -- Above the first gap.
    select
        evaluation_id,
        0 as rank,
        0 as judged_rank,
        0 as others_down,
        0 as block,
        null as is_relevant,
        0 as gain
    from evaluated
    where new_rel > 0
),
blocks as (
    select
        evaluation_id,
        block,
        min(rank) as first_rank,
        max(judged_rank) as judged_rank,
        max(others_down) as others_down,
        sum(gain) as gain,
        sum(case when is_relevant then 1 / cast(rank as double) else 0 end) as weights,
        sum(case when not is_relevant then 1 / cast(rank as double) else 0 end) as other_weights
    from judged_rows
    group by evaluation_id, block
),
block_ends as (
    select
        evaluation_id,
        block,
        judged_rank,
        others_down,
        greatest(first_rank - 1, 0) - lag(judged_rank, 1, 0) over down as holes_above,
        greatest(first_rank - 1, 0) - lag(others_down, 1, 0) over down as not_others_above,
        lead(first_rank) over down - 1 as rank,
        sum(gain) over down as gain,
        coalesce(sum(gain) over below, 0) as gain_below,
        coalesce(sum(weights) over below, 0) as weights_below,
        coalesce(sum(other_weights) over below, 0) as other_weights_below
    from blocks
    window
        down as (
            partition by evaluation_id
            order by block
        ),
        below as (
            partition by evaluation_id
            order by block
            rows between 1 following and unbounded following
        )
),
ends as materialized (
    select
        block_ends.* exclude (rank),
        down.rank,
        evaluated.divisor,
        evaluated.full_divisor,
        down.rank - block_ends.judged_rank as holes_down,
        down.rank - block_ends.judged_rank - block_ends.holes_above as size,
        evaluated.total + down.rank - block_ends.others_down * (1 + down.total) + block_ends.gain
            + (down.rank - block_ends.judged_rank) * block_ends.weights_below as greatest_total,
        evaluated.full_total - down.rank + block_ends.others_down * (1 + down.total) + block_ends.gain_below
            - (down.rank - block_ends.judged_rank)
            * (evaluated.weights - down.total - block_ends.other_weights_below) as least_total,
        (block_ends.not_others_above + 1) / cast(block_ends.not_others_above + 1 + block_ends.others_down as double)
            + block_ends.weights_below as least_added,
        (block_ends.judged_rank - block_ends.others_down + 1) / cast(greatest(down.rank, 1) as double)
            + evaluated.weights - down.total - block_ends.other_weights_below as least_added_above
    from block_ends
    join evaluated using (evaluation_id)
    join reciprocals as down on down.rank = coalesce(block_ends.rank, evaluated.depth)
    where evaluated.new_rel > 0
),
best as (
    select
        evaluation_id,
        min(least_total / nullif(full_divisor - holes_down, 0)) as least,
        max(greatest_total / nullif(divisor + holes_down, 0)) as greatest
    from ends
    group by evaluation_id
),
kept as (
    select
        ends.*,
        ends.least_total + ends.size * ends.least_added_above
            < best.least * (ends.full_divisor - ends.holes_above) as can_be_least
    from ends
    join best using (evaluation_id)
    where
        ends.greatest_total - ends.size * ends.least_added > best.greatest * (ends.divisor + ends.holes_above)
        or ends.least_total + ends.size * ends.least_added_above
            < best.least * (ends.full_divisor - ends.holes_above)
),
inside as (
    select
        kept.evaluation_id,
        judged_rows.judged_rank,
        judged_rows.others_down,
        kept.gain - coalesce(sum(judged_rows.gain) over below, 0) as gain,
        kept.gain_below + coalesce(sum(judged_rows.gain) over below, 0) as gain_below,
        kept.weights_below + coalesce(
            sum(case when judged_rows.is_relevant then 1 / cast(judged_rows.rank as double) end) over below,
            0
        ) as weights_below,
        kept.other_weights_below + coalesce(
            sum(case when not judged_rows.is_relevant then 1 / cast(judged_rows.rank as double) end) over below,
            0
        ) as other_weights_below,
        kept.can_be_least,
        judged_rows.rank as first_rank,
        coalesce(lead(judged_rows.rank) over down - 1, kept.rank) as last_rank
    from kept
    join judged_rows using (evaluation_id, block)
    window
        down as (
            partition by kept.evaluation_id, kept.block
            order by judged_rows.rank
        ),
        below as (
            partition by kept.evaluation_id, kept.block
            order by judged_rows.rank
            rows between 1 following and unbounded following
        )
),
places as (
    select
        *,
        unnest(range(case when can_be_least then first_rank else last_rank end, last_rank + 1)) as rank
    from inside
),
extremes as (
    select
        evaluation_id,
        least,
        greatest
    from best
    union all
    select
        evaluated.evaluation_id,
        (
            evaluated.full_total - down.rank + places.others_down * (1 + down.total) + places.gain_below
            - (down.rank - places.judged_rank) * (evaluated.weights - down.total - places.other_weights_below)
        ) / nullif(evaluated.full_divisor - down.rank + places.judged_rank, 0) as least,
        (
            evaluated.total + down.rank - places.others_down * (1 + down.total) + places.gain
            + (down.rank - places.judged_rank) * places.weights_below
        ) / nullif(evaluated.divisor + down.rank - places.judged_rank, 0) as greatest
    from places
    join evaluated using (evaluation_id)
    join reciprocals as down using (rank)
),
shares as (
    select
        evaluation_id,
        min(least) as least,
        max(greatest) as greatest
    from extremes
    group by evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    -- Without holes nothing may be relevant, and there is no share then.
    case
        when evaluated.full_divisor > evaluated.num_holes
        then least(evaluated.total / (evaluated.full_divisor - evaluated.num_holes), shares.least)
    end as least,
    greatest(evaluated.total / nullif(evaluated.divisor, 0), shares.greatest) as greatest,
    evaluated.num_holes,
    evaluated.num_unseen
from evaluated
left join shares using (evaluation_id)
