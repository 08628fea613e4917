-- title: The greatest share of the ideal gain, whatever grades the holes have
-- parameters: k, dcg, gains, most, discounted
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns:
--   evaluation_id   key of the evaluation
--   share           gain divided by ideal gain, 0 where the ideal is 0
-- definition: Nothing unseen has a gain, and the higher holes have the greater grades. Each step of gain is taken by
--    itself: so many of the highest holes have this gain or more. That adds to the gain, and to the ideal gain as far as
--    documents of this gain do not fill it. Whether an addition is worth it depends on the share that is reached: the
--    best numbers by one share give a greater share, until it grows no more (Dinkelbach). A lower step never has fewer
--    holes than a higher one, since more documents with that gain stand in the ideal ranking already.
-- reference: Dinkelbach 1967, On nonlinear fractional programming, doi:10.1287/mnsc.13.7.492
with recursive additions as materialized (
    select
        holes.evaluation_id,
        steps.gain,
        steps.height * holes.above as gained,
        steps.height * sum(
            case
                when steps.num_documents + holes.from_above > coalesce($k, 2147483647) then 0
                when $discounted then 1 / log2(steps.num_documents + holes.from_above + 1)
                else 1
            end
        ) over (
            partition by holes.evaluation_id, steps.gain
            order by holes.from_above
            rows between unbounded preceding and current row
        ) as ideal
    from weighted_holes(k := $k, discounted := $discounted) as holes
    join documents_by_gain(dcg := $dcg, gains := $gains, most := $most) as steps
        on steps.qrels_id = holes.qrels_id
        and steps.topic_id = holes.topic_id
        and steps.of_holes
),
without_holes as materialized (
    select
        evaluation_id,
        gained,
        ideal
    from gains_and_ideals(k := $k, dcg := $dcg, gains := $gains, discounted := $discounted)
),
shares as (
    select
        evaluation_id,
        0 as round,
        coalesce(gained / nullif(ideal, 0), 0) as share
    from without_holes
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
            (without_holes.gained + sum(best.addition.gained)) / nullif(without_holes.ideal + sum(best.addition.ideal), 0) as share
        from (
            select
                shares.evaluation_id,
                shares.round,
                shares.share,
                additions.gain,
                arg_max(
                    {'gained': additions.gained, 'ideal': additions.ideal},
                    additions.gained - shares.share * additions.ideal
                ) as addition
            from shares
            join additions on additions.evaluation_id = shares.evaluation_id
            group by shares.evaluation_id, shares.round, shares.share, additions.gain
            having max(additions.gained - shares.share * additions.ideal) > 0
        ) as best
        join without_holes on without_holes.evaluation_id = best.evaluation_id
        group by best.evaluation_id, best.round, best.share, without_holes.gained, without_holes.ideal
    ) as improved
    where
        improved.share > improved.share_before + 1e-15
        and improved.round < 100
)
select
    evaluation_id,
    max(share) as share
from shares
group by evaluation_id
