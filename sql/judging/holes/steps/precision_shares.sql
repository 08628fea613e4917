-- title: The least and the greatest share that the sum of precisions has of the relevant documents
-- parameters: k, rel, most, unseen, prior
--   prior integer in [0, 1] = 0   what is added to the sum, and twice to the number of relevant documents
-- columns: qrels, run, topic, num_holes, num_unseen
--   least      least share; all that is unseen is relevant
--   greatest   greatest share; nothing of it is
-- definition: With the number of relevant holes given, the sum is greatest where the highest are relevant, and least
--    where the lowest are. A gap holds the holes between two judged documents. Where those at the ranks a to b become
--    relevant, rank s among them has the precision (s - others) / s, others being the documents above that are not
--    relevant, and each of them adds 1 / rank to the precision at each relevant rank below. Together they add (b - a +
--    1) * (1 + weights below) - others * (1 / a + ... + 1 / b). Downwards each hole of a gap adds no less than the one
--    before it, so that the greatest share is at the end of a gap. Upwards each adds more than all before it: the least
--    share is in the highest gap whose lowest hole makes it less.
with counts as (
    select
        qrels,
        run,
        topic,
        evaluation_id,
        least(coalesce($k, num_ret), num_ret) as depth,
        num_holes,
        num_unseen,
        new_rel,
        num_rel + 2 * $prior as num_rel,
        num_rel + 2 * $prior + new_unseen as num_rel_with_unseen
    from hole_counts(k := $k, rel := $rel, most := $most, unseen := $unseen)
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
        $prior + coalesce(precisions.total, 0) as total
    from counts
    left join precisions on precisions.evaluation_id = counts.evaluation_id
),
judged_below as (
    select
        evaluation_id,
        rank,
        rank - judged_rank as holes_above,
        1 / cast(rank as double) as weight,
        grade >= $rel as is_relevant
    from asked_ranks()
    where
        grade >= 0
        and rank <= coalesce($k, 2147483647)
    union all
    -- The end of a ranking is below its last gap.
    select
        evaluation_id,
        depth + 1 as rank,
        num_holes as holes_above,
        0 as weight,
        null as is_relevant
    from evaluated
),
blocks as (
    -- What stands together without a hole between.
    select
        evaluation_id,
        holes_above,
        min(rank) as from_rank,
        max(rank) as to_rank,
        count(case when is_relevant then 1 end) as num_rel,
        sum(case when is_relevant then weight else 0 end) as weights,
        sum(case when is_relevant then 0 else weight end) as other_weights
    from judged_below
    group by evaluation_id, holes_above
),
gaps as (
    select
        evaluation_id,
        holes_above as holes_down,
        lag(to_rank, 1, 0) over down + 1 as first_rank,
        from_rank - 1 as last_rank,
        sum(num_rel) over down - num_rel as rel_above,
        sum(weights) over up as weights_below,
        sum(other_weights) over up as other_weights_below
    from blocks
    window
        down as (
            partition by evaluation_id
            order by holes_above
            rows between unbounded preceding and current row
        ),
        up as (
            partition by evaluation_id
            order by holes_above
            rows between current row and unbounded following
        )
),
reciprocals as materialized (
    select
        rank,
        sum(case when rank = 0 then 0 else 1 / cast(rank as double) end) over (
            order by rank
            rows between unbounded preceding and current row
        ) as total
    from (select unnest(range(0, 1 + coalesce((select max(depth) from evaluated), 0))) as rank) as ranks
),
weighted as (
    select
        evaluated.evaluation_id,
        evaluated.total,
        evaluated.num_rel,
        evaluated.num_rel_with_unseen,
        gaps.holes_down,
        evaluated.num_holes - gaps.holes_down as holes_below,
        gaps.first_rank,
        gaps.last_rank,
        1 + gaps.last_rank - gaps.first_rank as size,
        gaps.last_rank - gaps.holes_down - gaps.rel_above as judged_others,
        gaps.first_rank - 1 - gaps.rel_above as others,
        gaps.weights_below,
        -- With all holes there.
        whole.total - last.total - gaps.other_weights_below as all_weights_below,
        last.total as last_total,
        last.total - before.total as gap_weights
    from gaps
    join evaluated on evaluated.evaluation_id = gaps.evaluation_id
    join reciprocals as before on before.rank = gaps.first_rank - 1
    join reciprocals as last on last.rank = gaps.last_rank
    join reciprocals as whole on whole.rank = evaluated.depth
    where
        gaps.first_rank <= gaps.last_rank
        and evaluated.new_rel > 0
),
filled as materialized (
    select
        *,
        total + sum(size * (1 + weights_below) - judged_others * gap_weights) over (
            partition by evaluation_id
            order by first_rank
            rows between unbounded preceding and current row
        ) as total_down,
        total + coalesce(
            sum(size * (1 + all_weights_below) - others * gap_weights) over (
                partition by evaluation_id
                order by first_rank
                rows between 1 following and unbounded following
            ),
            0
        ) as total_below
    from weighted
),
greatest_shares as (
    select
        evaluation_id,
        max(total_down / (num_rel + holes_down)) as share
    from filled
    group by evaluation_id
),
turns as (
    select
        evaluation_id,
        min(first_rank) as first_rank
    from filled
    where
        (last_rank - others - size + 1) / cast(last_rank as double) + all_weights_below
        < total_below / nullif(num_rel_with_unseen + holes_below, 0)
    group by evaluation_id
),
lowest_holes as (
    select
        filled.*,
        unnest(range(filled.first_rank, filled.last_rank + 1)) as rank
    from filled
    join turns
        on turns.evaluation_id = filled.evaluation_id
        and turns.first_rank = filled.first_rank
),
least_shares as (
    select
        holes.evaluation_id,
        min(
            (
                holes.total_below
                + (1 + holes.last_rank - holes.rank) * (1 + holes.all_weights_below)
                - (holes.others + holes.rank - holes.first_rank) * (holes.last_total - reciprocals.total)
            ) / (holes.num_rel_with_unseen + holes.holes_below + 1 + holes.last_rank - holes.rank)
        ) as share
    from lowest_holes as holes
    join reciprocals on reciprocals.rank = holes.rank - 1
    group by holes.evaluation_id
)
select
    evaluated.qrels,
    evaluated.run,
    evaluated.topic,
    least(evaluated.total / nullif(evaluated.num_rel_with_unseen, 0), least_shares.share) as least,
    greatest(evaluated.total / nullif(evaluated.num_rel, 0), greatest_shares.share) as greatest,
    evaluated.num_holes,
    evaluated.num_unseen
from evaluated
left join least_shares on least_shares.evaluation_id = evaluated.evaluation_id
left join greatest_shares on greatest_shares.evaluation_id = evaluated.evaluation_id
