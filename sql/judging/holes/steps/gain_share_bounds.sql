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
--    share is at most 1. Where it is the higher one, the hole weighs the more of it the further down both are.
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
    join hole_counts(k := $k, most := $most, unseen := $unseen) as counts
        on counts.evaluation_id = judged.evaluation_id
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
gaps as materialized (
    select
        evaluated.evaluation_id,
        evaluated.qrels_id,
        evaluated.topic_id,
        evaluated.gained,
        evaluated.ideal,
        evaluated.num_unseen + evaluated.num_holes - gaps.holes_down as num_below,
        gaps.size,
        gaps.holes_down,
        gaps.last_rank,
        last.weight as rank_weight,
        last.weight - case when $discounted then gaps.judged_discounts else gaps.last_rank - gaps.holes_down end as weight
    from hole_gaps(k := $k) as gaps
    join evaluated on evaluated.evaluation_id = gaps.evaluation_id
    join weight_sums as last on last.num_documents = gaps.last_rank
),
gap_totals as (
    select
        evaluation_id,
        max(weight) as weight
    from gaps
    group by evaluation_id
),
turns as (
    -- All holes below the gap have the greatest gain, and so has what is unseen.
    select
        gaps.evaluation_id,
        min(gaps.last_rank) as last_rank
    from gaps
    join gap_totals on gap_totals.evaluation_id = gaps.evaluation_id
    join added_ideals
        on added_ideals.qrels_id = gaps.qrels_id
        and added_ideals.topic_id = gaps.topic_id
        and added_ideals.num_new = gaps.num_below
    where
        added_ideals.gain
        * case when $discounted then 1 / log2(gaps.last_rank + 1) else 1 end
        * (gaps.ideal + added_ideals.ideal)
        < (gaps.gained + added_ideals.gain * (gap_totals.weight - gaps.weight)) * added_ideals.next_ideal
    group by gaps.evaluation_id
),
lowest_holes as (
    select
        gaps.*,
        gap_totals.weight - gaps.weight as weight_below,
        unnest(range(gaps.last_rank - gaps.size, gaps.last_rank)) as rank_above
    from gaps
    join gap_totals on gap_totals.evaluation_id = gaps.evaluation_id
    join turns
        on turns.evaluation_id = gaps.evaluation_id
        and turns.last_rank = gaps.last_rank
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
shares_without_holes as (
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
    -- The greatest share if all steps had the same number, where the search for others begins.
    select
        shares_without_holes.evaluation_id,
        greatest(shares_without_holes.share, same.share) as share
    from shares_without_holes
    left join (
        select
            gaps.evaluation_id,
            max(
                (gaps.gained + added_ideals.gain * gaps.weight) / nullif(gaps.ideal + added_ideals.ideal, 0)
            ) as share
        from gaps
        join added_ideals
            on added_ideals.qrels_id = gaps.qrels_id
            and added_ideals.topic_id = gaps.topic_id
            and added_ideals.num_new = gaps.holes_down
        group by gaps.evaluation_id
    ) as same on same.evaluation_id = shares_without_holes.evaluation_id
),
best_steps as (
    select
        gaps.evaluation_id,
        greatest(
            max(
                hole_steps.height * (gaps.weight - first_shares.share * (weight_sums.weight - hole_steps.weight))
            ),
            0
        ) as added
    from gaps
    join first_shares on first_shares.evaluation_id = gaps.evaluation_id
    join hole_steps
        on hole_steps.qrels_id = gaps.qrels_id
        and hole_steps.topic_id = gaps.topic_id
    join weight_sums
        on weight_sums.num_documents = least(coalesce($k, 2147483647), hole_steps.num_documents + gaps.holes_down)
    group by gaps.evaluation_id, hole_steps.gain
),
improvable as (
    -- Mostly the number is best for all steps already.
    select evaluated.evaluation_id
    from evaluated
    join first_shares on first_shares.evaluation_id = evaluated.evaluation_id
    join best_steps on best_steps.evaluation_id = evaluated.evaluation_id
    group by evaluated.evaluation_id, evaluated.gained, evaluated.ideal, first_shares.share
    having sum(best_steps.added) > first_shares.share * evaluated.ideal - evaluated.gained + 1e-15
),
additions as materialized (
    select
        gaps.evaluation_id,
        hole_steps.gain,
        hole_steps.height * gaps.weight as gained,
        hole_steps.height * (weight_sums.weight - hole_steps.weight) as ideal
    from improvable
    join gaps on gaps.evaluation_id = improvable.evaluation_id
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
            join additions on additions.evaluation_id = greatest_shares.evaluation_id
            group by greatest_shares.evaluation_id, greatest_shares.round, greatest_shares.share, additions.gain
            having max(additions.gained - greatest_shares.share * additions.ideal) > 0
        ) as best
        join evaluated on evaluated.evaluation_id = best.evaluation_id
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
join evaluated on evaluated.evaluation_id = evaluated_topics.evaluation_id
join shares_without_holes on shares_without_holes.evaluation_id = evaluated_topics.evaluation_id
join greatest_values on greatest_values.evaluation_id = evaluated_topics.evaluation_id
left join least_shares on least_shares.evaluation_id = evaluated_topics.evaluation_id
left join orders on orders.qrels_id = evaluated_topics.qrels_id
