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
        -relevant_rank / cast(rank as double) as gain,
        1 / cast(rank as double) as weight,
        0 as other_weight
    from relevant_ranks(rel := $rel)
    where rank <= coalesce($k, 2147483647)
    union all
    select
        others.*,
        (others.judged_rank + 15) >> 4 as block,
        reciprocals.total + (others.others_down - 1) / cast(others.rank as double) as gain,
        0 as weight,
        1 / cast(others.rank as double) as other_weight
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
        0 as gain,
        0 as weight,
        0 as other_weight
    from counts
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
        sum(weight) as weight,
        sum(other_weight) as other_weight
    from judged_rows
    group by evaluation_id, block
),
block_ends as materialized (
    select
        evaluation_id,
        block,
        judged_rank,
        others_down,
        first_rank - greatest(16 * block - 15, 0) as holes_above,
        greatest(first_rank - 1, 0) - lag(others_down, 1, 0) over down as not_others_above,
        lead(first_rank) over down - 1 as rank,
        sum(gain) over down as gain,
        sum(weight) over down as weight,
        sum(other_weight) over down as other_weight
    from blocks
    window down as (
        partition by evaluation_id
        order by block
        rows between unbounded preceding and current row
    )
),
evaluated as materialized (
    select
        counts.*,
        counts.num_rel + 2 * $prior as divisor,
        counts.num_rel + 2 * $prior + counts.new_unseen + counts.num_holes as full_divisor,
        $prior + coalesce(precisions.total, 0) as total,
        $prior + coalesce(precisions.total, 0)
            + counts.depth - last.others_down * (1 + reciprocals.total) + last.gain as full_total,
        last.weight as weight,
        reciprocals.total - last.other_weight as full_weight
    from counts
    join reciprocals on reciprocals.rank = counts.depth
    left join precisions using (evaluation_id)
    left join block_ends as last
        on last.evaluation_id = counts.evaluation_id
        and last.rank is null
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
            + (down.rank - block_ends.judged_rank) * (evaluated.weight - block_ends.weight) as greatest_total,
        evaluated.full_total - down.rank + block_ends.others_down * (1 + down.total) - block_ends.gain
            - (down.rank - block_ends.judged_rank)
            * (evaluated.full_weight - down.total + block_ends.other_weight) as least_total,
        (block_ends.not_others_above + 1) / cast(block_ends.not_others_above + 1 + block_ends.others_down as double)
            + evaluated.weight - block_ends.weight as least_added,
        (block_ends.judged_rank - block_ends.others_down + 1) / cast(greatest(down.rank, 1) as double)
            + evaluated.full_weight - down.total + block_ends.other_weight as least_added_above
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
        or can_be_least
),
inside as (
    select
        kept.evaluation_id,
        judged_rows.judged_rank,
        judged_rows.others_down,
        kept.gain - sum(judged_rows.gain) over up + judged_rows.gain as gain,
        kept.weight - sum(judged_rows.weight) over up + judged_rows.weight as weight,
        kept.other_weight - sum(judged_rows.other_weight) over up + judged_rows.other_weight as other_weight,
        kept.can_be_least,
        judged_rows.rank as first_rank,
        coalesce(lag(judged_rows.rank) over up - 1, kept.rank) as last_rank
    from kept
    join judged_rows using (evaluation_id, block)
    window up as (
        partition by kept.evaluation_id, kept.block
        order by judged_rows.rank desc
        rows between unbounded preceding and current row
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
            evaluated.full_total - down.rank + places.others_down * (1 + down.total) - places.gain
            - (down.rank - places.judged_rank) * (evaluated.full_weight - down.total + places.other_weight)
        ) / nullif(evaluated.full_divisor - down.rank + places.judged_rank, 0) as least,
        (
            evaluated.total + down.rank - places.others_down * (1 + down.total) + places.gain
            + (down.rank - places.judged_rank) * (evaluated.weight - places.weight)
        ) / nullif(evaluated.divisor + down.rank - places.judged_rank, 0) as greatest
    from places
    join evaluated using (evaluation_id)
    join reciprocals as down on down.rank = places.rank
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
