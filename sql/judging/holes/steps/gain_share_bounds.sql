-- title: The least and the greatest share of the ideal gain, whatever grades the unjudged documents have
-- parameters: k, dcg, gains, most, unseen, discounted
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns: qrels, run, topic, least, greatest, num_holes, num_unseen
--   least      least share; null where gains say that grade 0 gains something, or a grade less than a lower one
--   greatest   greatest share; null likewise
-- definition: The ideal gain is, for each step of gain from one grade to the next, its height times the weights of as
--    many first ranks as there are documents with this gain or more. The share is a linear function of the gains of
--    holes divided by a convex one, and so is least where each hole has no gain or the greatest. With their number
--    given, those with the greatest are the lowest ones, and all that is unseen has it as well. Upwards each hole adds
--    more to the gain, and to the ideal no more, than the one before it: the least share is in the highest gap whose
--    lowest hole makes it less. At the greatest nothing unseen has a gain, and the higher holes have the greater grades.
--    Each step is taken by itself: so many of the highest holes have this gain or more. Whether that adds more to the
--    gain than to the ideal depends on the share that is reached: the best numbers by one share give a greater share,
--    until it grows no more (Dinkelbach). A lower step never has fewer holes than a higher one, since more documents
--    with that gain stand in the ideal ranking already. The best number is at the end of a gap. Within a gap a hole and
--    the ideal rank that it adds go down together. Where the ideal rank is the lower one, the hole weighs more, and a
--    share is at most 1. Where it is the higher one, the hole weighs the more of it the further down both are. So the
--    first hole of a block weighs the least of its ideal rank, if all judged documents of the block stood above it, and
--    what other ends of gaps could add shows at the ends of blocks. The share falls to the least and rises from there,
--    so that this is in the block whose end has the least share, or in the next one.
-- reference: Dinkelbach 1967, On nonlinear fractional programming, doi:10.1287/mnsc.13.7.492
with recursive steps as materialized (
    select *
    from documents_by_gain(dcg := $dcg, gains := $gains, most := $most)
),
orders as (
    select
        qrels_id,
        bool_and(ordered) as ordered
    from steps
    group by qrels_id
),
evaluated as materialized (
    select
        judged.evaluation_id,
        judged.qrels_id,
        judged.topic_id,
        judged.gained,
        judged.ideal,
        counts.num_holes,
        counts.num_unseen,
        least(coalesce($k, counts.num_ret), counts.num_ret) as depth
    from gains_and_ideals(k := $k, dcg := $dcg, gains := $gains, discounted := $discounted) as judged
    join hole_counts(k := $k, most := $most, unseen := $unseen) as counts using (evaluation_id)
),
weight_sums as materialized (
    select
        num_documents,
        sum(case when num_documents = 0 then 0 when $discounted then 1 / log2(num_documents + 1) else 1 end) over (
            order by num_documents
            rows between unbounded preceding and current row
        ) as weight
    from (
        select unnest(
            range(
                0,
                1 + least(
                    coalesce($k, 2147483647),
                    coalesce((select max(num_documents) from steps), 0)
                    + coalesce((select max(depth + num_unseen) from evaluated), 0)
                )
            )
        ) as num_documents
    ) as numbers
),
hole_steps as materialized (
    select
        steps.qrels_id,
        steps.topic_id,
        steps.gain,
        steps.height,
        steps.num_documents,
        weight_sums.weight
    from steps
    join weight_sums on weight_sums.num_documents = least(coalesce($k, 2147483647), steps.num_documents)
    where steps.of_holes
),
added_ideals as materialized (
    -- What so many more documents with the greatest gain of holes add to the ideal gain, and what the next one would.
    select
        hole_steps.qrels_id,
        hole_steps.topic_id,
        numbers.num_new,
        max(hole_steps.gain) as gain,
        sum(hole_steps.height * (down.weight - hole_steps.weight)) as ideal,
        sum(hole_steps.height * (coalesce(next.weight, down.weight) - down.weight)) as next_ideal
    from hole_steps
    join (
        select
            qrels_id,
            topic_id,
            unnest(range(0, max(num_holes) + 1)) as num_new
        from evaluated
        group by qrels_id, topic_id
        union
        select
            qrels_id,
            topic_id,
            unnest(range(min(num_unseen), max(num_unseen + num_holes) + 1)) as num_new
        from evaluated
        group by qrels_id, topic_id
    ) as numbers
        on numbers.qrels_id = hole_steps.qrels_id
        and numbers.topic_id = hole_steps.topic_id
    join weight_sums as down
        on down.num_documents = least(coalesce($k, 2147483647), hole_steps.num_documents + numbers.num_new)
    left join weight_sums as next
        on next.num_documents = down.num_documents + 1
    group by hole_steps.qrels_id, hole_steps.topic_id, numbers.num_new
),
ends as materialized (
    select
        evaluated.evaluation_id,
        evaluated.qrels_id,
        evaluated.topic_id,
        evaluated.gained,
        evaluated.ideal,
        evaluated.num_unseen + evaluated.num_holes - blocks.holes_down as num_below,
        blocks.block,
        blocks.holes_down,
        blocks.holes_above,
        blocks.judged_rank,
        blocks.last_rank,
        blocks.judged_discounts,
        last.weight - case when $discounted then blocks.judged_discounts else blocks.judged_rank end as weight
    from hole_blocks(k := $k) as blocks
    join evaluated using (evaluation_id)
    join weight_sums as last on last.num_documents = blocks.last_rank
),
hole_totals as materialized (
    select
        evaluation_id,
        max(weight) as weight
    from ends
    group by evaluation_id
),
shares_without_holes as materialized (
    select
        evaluated.evaluation_id,
        coalesce(evaluated.gained / nullif(evaluated.ideal, 0), 0) as share,
        coalesce(evaluated.gained / nullif(evaluated.ideal + coalesce(added_ideals.ideal, 0), 0), 0) as least
    from evaluated
    left join added_ideals
        on added_ideals.qrels_id = evaluated.qrels_id
        and added_ideals.topic_id = evaluated.topic_id
        and added_ideals.num_new = evaluated.num_unseen
),
first_shares as materialized (
    -- The greatest share at the end of a block if all steps had the same number, where the search for others begins.
    select
        shares_without_holes.evaluation_id,
        greatest(shares_without_holes.share, same.share) as share
    from shares_without_holes
    left join (
        select
            ends.evaluation_id,
            max((ends.gained + added_ideals.gain * ends.weight) / nullif(ends.ideal + added_ideals.ideal, 0)) as share
        from ends
        join added_ideals
            on added_ideals.qrels_id = ends.qrels_id
            and added_ideals.topic_id = ends.topic_id
            and added_ideals.num_new = ends.holes_down
        group by ends.evaluation_id
    ) as same using (evaluation_id)
),
most_added as (
    -- An upper bound for the ends of all gaps in the block.
    select
        ends.evaluation_id,
        greatest(
            max(
                hole_steps.height * (
                    ends.weight - first_shares.share * (weight_sums.weight - hole_steps.weight)
                    + case when $discounted then (ends.holes_down - ends.holes_above) * greatest(
                        first_shares.share / log2(hole_steps.num_documents + ends.holes_above + 2)
                            - 1 / log2(ends.holes_above + ends.judged_rank + 2),
                        0
                    ) else 0 end
                )
            ),
            0
        ) as added
    from ends
    join first_shares using (evaluation_id)
    join hole_steps
        on hole_steps.qrels_id = ends.qrels_id
        and hole_steps.topic_id = ends.topic_id
    join weight_sums
        on weight_sums.num_documents = least(coalesce($k, 2147483647), hole_steps.num_documents + ends.holes_down)
    group by ends.evaluation_id, hole_steps.gain
),
improvable as materialized (
    -- Mostly that number is best for all steps already.
    select evaluated.evaluation_id
    from evaluated
    join first_shares using (evaluation_id)
    join most_added using (evaluation_id)
    group by evaluated.evaluation_id, evaluated.gained, evaluated.ideal, first_shares.share
    having sum(most_added.added) > first_shares.share * evaluated.ideal - evaluated.gained + 1e-14 * evaluated.ideal
),
filled_below as (
    -- All holes below the block have the greatest gain, and so has what is unseen.
    select
        ends.*,
        (ends.gained + added_ideals.gain * (hole_totals.weight - ends.weight))
            / nullif(ends.ideal + added_ideals.ideal, 0) as share
    from ends
    join hole_totals using (evaluation_id)
    join added_ideals
        on added_ideals.qrels_id = ends.qrels_id
        and added_ideals.topic_id = ends.topic_id
        and added_ideals.num_new = ends.num_below
),
compared as (
    select
        *,
        min(share) over (partition by evaluation_id) as least,
        lag(share) over (
            partition by evaluation_id
            order by block
        ) as share_above
    from filled_below
),
looked_at as (
    select *
    from compared
    where
        holes_down > holes_above
        and (
            least in (share, share_above)
            or evaluation_id in (select evaluation_id from improvable)
        )
),
places as (
    select
        looked_at.* exclude (judged_rank, last_rank, judged_discounts),
        judged.rank as rank_above,
        judged.judged_rank,
        coalesce(lag(judged.rank) over up - 1, looked_at.last_rank) as last_rank,
        looked_at.judged_discounts - sum(1 / log2(greatest(judged.rank, 1) + 1)) over up
            + 1 / log2(greatest(judged.rank, 1) + 1) as judged_discounts
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
        places.qrels_id,
        places.topic_id,
        places.gained,
        places.ideal,
        places.num_below + places.holes_down - places.last_rank + places.judged_rank as num_below,
        places.last_rank - places.rank_above as size,
        places.last_rank - places.judged_rank as holes_down,
        places.last_rank,
        last.weight as rank_weight,
        last.weight - case when $discounted then places.judged_discounts else places.judged_rank end as weight
    from places
    join weight_sums as last on last.num_documents = places.last_rank
    where places.last_rank > places.rank_above
),
turns as (
    -- All holes below the gap have the greatest gain, and so has what is unseen.
    select
        gaps.evaluation_id,
        min(gaps.last_rank) as last_rank
    from gaps
    join hole_totals using (evaluation_id)
    join added_ideals
        on added_ideals.qrels_id = gaps.qrels_id
        and added_ideals.topic_id = gaps.topic_id
        and added_ideals.num_new = gaps.num_below
    where
        added_ideals.gain
        * case when $discounted then 1 / log2(gaps.last_rank + 1) else 1 end
        * (gaps.ideal + added_ideals.ideal)
        < (gaps.gained + added_ideals.gain * (hole_totals.weight - gaps.weight)) * added_ideals.next_ideal
    group by gaps.evaluation_id
),
lowest_holes as (
    select
        gaps.*,
        hole_totals.weight - gaps.weight as weight_below,
        unnest(range(gaps.last_rank - gaps.size, gaps.last_rank)) as rank_above
    from gaps
    join hole_totals using (evaluation_id)
    join turns using (evaluation_id, last_rank)
),
least_shares as (
    select
        holes.evaluation_id,
        min(
            (holes.gained + added_ideals.gain * (holes.weight_below + holes.rank_weight - weight_sums.weight))
            / nullif(holes.ideal + added_ideals.ideal, 0)
        ) as share
    from lowest_holes as holes
    join weight_sums on weight_sums.num_documents = holes.rank_above
    join added_ideals
        on added_ideals.qrels_id = holes.qrels_id
        and added_ideals.topic_id = holes.topic_id
        and added_ideals.num_new = holes.num_below + holes.last_rank - holes.rank_above
    group by holes.evaluation_id
),
additions as materialized (
    select
        gaps.evaluation_id,
        hole_steps.gain,
        hole_steps.height * gaps.weight as gained,
        hole_steps.height * (weight_sums.weight - hole_steps.weight) as ideal
    from improvable
    join gaps using (evaluation_id)
    join hole_steps
        on hole_steps.qrels_id = gaps.qrels_id
        and hole_steps.topic_id = gaps.topic_id
    join weight_sums
        on weight_sums.num_documents = least(coalesce($k, 2147483647), hole_steps.num_documents + gaps.holes_down)
),
greatest_shares as (
    select
        evaluation_id,
        0 as round,
        share
    from first_shares
    union all
    select
        improved.evaluation_id,
        improved.round + 1 as round,
        improved.share
    from (
        select
            best.evaluation_id,
            best.round,
            best.share as share_before,
            (evaluated.gained + sum(best.addition.gained))
            / nullif(evaluated.ideal + sum(best.addition.ideal), 0) as share
        from (
            select
                greatest_shares.evaluation_id,
                greatest_shares.round,
                greatest_shares.share,
                additions.gain,
                arg_max(
                    {'gained': additions.gained, 'ideal': additions.ideal},
                    additions.gained - greatest_shares.share * additions.ideal
                ) as addition
            from greatest_shares
            join additions using (evaluation_id)
            group by greatest_shares.evaluation_id, greatest_shares.round, greatest_shares.share, additions.gain
            having max(additions.gained - greatest_shares.share * additions.ideal) > 0
        ) as best
        join evaluated using (evaluation_id)
        group by best.evaluation_id, best.round, best.share, evaluated.gained, evaluated.ideal
    ) as improved
    where
        improved.share > improved.share_before + 1e-15
        and improved.round < 100
),
greatest_values as (
    select
        evaluation_id,
        max(share) as share
    from greatest_shares
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when coalesce(orders.ordered, true)
        then least(shares_without_holes.least, least_shares.share)
    end as least,
    case when coalesce(orders.ordered, true) then greatest_values.share end as greatest,
    evaluated.num_holes,
    evaluated.num_unseen
from evaluated_topics
join evaluated using (evaluation_id)
join shares_without_holes using (evaluation_id)
join greatest_values using (evaluation_id)
left join least_shares using (evaluation_id)
left join orders on orders.qrels_id = evaluated_topics.qrels_id
