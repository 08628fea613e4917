-- title: The least and the greatest share of the ideal gain, whatever grades the unjudged documents have
-- parameters: k, dcg, gains, most, unseen, discounted
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns: qrels, run, topic
--   least      least share; null where gains say that grade 0 gains something, or a grade less than a lower one
--   greatest   greatest share; null likewise
-- definition: The ideal gain is, for each step of gain from one grade to the next, its height times the weights of as
--    many first ranks as there are documents with this gain or more. The share is a linear function of the gains of
--    holes divided by a convex one, and so is least where each hole has no gain or the greatest. With their number
--    given, those with the greatest are the lowest ones, and all that is unseen has it as well. At the greatest nothing
--    unseen has a gain, and the higher holes have the greater grades. Each step is taken by itself: so many of the
--    highest holes have this gain or more. Whether that adds more to the gain than to the ideal depends on the share
--    that is reached: the best numbers by one share give a greater share, until it grows no more (Dinkelbach). A lower
--    step never has fewer holes than a higher one, since more documents with that gain stand in the ideal ranking
--    already.
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
holes as materialized (
    select *
    from weighted_holes(k := $k, discounted := $discounted)
),
hole_totals as (
    select
        evaluation_id,
        count(*) as num_holes
    from holes
    group by evaluation_id
),
pooled as (
    -- Nobody asks for these where their number is given.
    select *
    from pooled_holes(k := $k)
    where $unseen is null
),
evaluated as materialized (
    select
        judged.evaluation_id,
        judged.qrels_id,
        judged.topic_id,
        judged.gained,
        judged.ideal,
        coalesce($unseen, pooled.num_holes - coalesce(hole_totals.num_holes, 0), 0) as num_unseen
    from gains_and_ideals(k := $k, dcg := $dcg, gains := $gains, discounted := $discounted) as judged
    left join hole_totals on hole_totals.evaluation_id = judged.evaluation_id
    left join pooled
        on pooled.qrels_id = judged.qrels_id
        and pooled.topic_id = judged.topic_id
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
                    + coalesce((select max(num_holes) from hole_totals), 0)
                    + coalesce((select max(num_unseen) from evaluated), 0)
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
numbers as (
    select
        evaluation_id,
        from_below as num_new,
        below as weight
    from holes
    union all
    select
        evaluation_id,
        0 as num_new,
        0 as weight
    from evaluated
),
least_shares as (
    select
        evaluated.evaluation_id,
        (evaluated.gained + max(hole_steps.gain) * numbers.weight)
        / nullif(evaluated.ideal + sum(hole_steps.height * (weight_sums.weight - hole_steps.weight)), 0) as share
    from numbers
    join evaluated on evaluated.evaluation_id = numbers.evaluation_id
    join hole_steps
        on hole_steps.qrels_id = evaluated.qrels_id
        and hole_steps.topic_id = evaluated.topic_id
    join weight_sums
        on weight_sums.num_documents
        = least(coalesce($k, 2147483647), hole_steps.num_documents + evaluated.num_unseen + numbers.num_new)
    group by evaluated.evaluation_id, evaluated.gained, evaluated.ideal, numbers.num_new, numbers.weight
),
additions as materialized (
    select
        holes.evaluation_id,
        hole_steps.gain,
        hole_steps.height * holes.above as gained,
        hole_steps.height * (weight_sums.weight - hole_steps.weight) as ideal
    from holes
    join hole_steps
        on hole_steps.qrels_id = holes.qrels_id
        and hole_steps.topic_id = holes.topic_id
    join weight_sums
        on weight_sums.num_documents = least(coalesce($k, 2147483647), hole_steps.num_documents + holes.from_above)
),
greatest_shares as (
    select
        evaluation_id,
        0 as round,
        coalesce(gained / nullif(ideal, 0), 0) as share
    from evaluated
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
least_values as (
    select
        evaluation_id,
        min(share) as share
    from least_shares
    group by evaluation_id
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
        then least(coalesce(evaluated.gained / nullif(evaluated.ideal, 0), 0), least_values.share)
    end as least,
    case when coalesce(orders.ordered, true) then greatest_values.share end as greatest
from evaluated_topics
join evaluated on evaluated.evaluation_id = evaluated_topics.evaluation_id
join greatest_values on greatest_values.evaluation_id = evaluated_topics.evaluation_id
left join least_values on least_values.evaluation_id = evaluated_topics.evaluation_id
left join orders on orders.qrels_id = evaluated_topics.qrels_id
