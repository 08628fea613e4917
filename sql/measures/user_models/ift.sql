-- measure: IFT
-- title: Information foraging: the reader goes on the less likely the more is gained towards a goal
-- aliases: IFT_C1
-- parameters: t, b, r, min_rel, max_rel, depth
--   t double in (0, 1e9] = 2                 gain that the reader wants in all
--   b double in (0, inf) = 0.9               willingness to go on: at the goal the chance is b / (1 + b)
--   r double in [0, inf) = 1                 how sharply the chance falls near the goal; 0 gives RBP
-- columns:
--   expected_items           documents that the reader is expected to look at
--   expected_total_utility   gain expected from them
-- definition: Sum of W * gain, W being proportional to the product of the chances to go on from the places above,
--    1 - 1 / (1 + b * exp(r * (t - S))) with the sum S of the gains down to there, and adding up to 1 over all
--    places down to the depth. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Thomas and Craswell 2018, Measuring the utility of search engine result pages,
--    doi:10.1145/3209978.3210027, the goal (C1)
-- differs: Equal to cwl_eval, which has no defaults and takes 1000 places. Without ties: no value over all orders
--    is known in closed form.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: user-models IFT(t=1,b=1,r=0,depth=4) = 0.4
with chances as (
    -- Beyond 600 nothing changes, and exp() does not overflow.
    select
        evaluation_id,
        above,
        last_place,
        gain,
        least(greatest($r * ($t - gain_above) + ln($b), -600), 600) as eagerness
    from gain_stretches(min_rel := $min_rel, max_rel := $max_rel, depth := $depth)
),
stops as (
    -- Over a stretch the chance to go on is the same: a geometric series.
    select
        evaluation_id,
        above,
        last_place,
        gain,
        1 / (1 + exp(eagerness)) as stop,
        -ln(1 + exp(-eagerness)) as logarithm
    from chances
),
comings as (
    select
        evaluation_id,
        last_place - above as size,
        gain,
        stop,
        logarithm,
        coalesce(
            sum((last_place - above) * logarithm) over (
                partition by evaluation_id
                order by above
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) - first_value(logarithm) over (
            partition by evaluation_id
            order by above
        ) as coming
    from stops
),
series as (
    -- A chance of 1 to all digits leaves nothing of 1 - (1 - stop)^size, which is size * stop then.
    select
        evaluation_id,
        gain * exp(coming + size * logarithm) as gained,
        exp(coming + logarithm) * case
            when size is null then 1 / stop
            when size * stop < 1e-5 then size - stop * size * (size - 1) / 2
            else (1 - exp(size * logarithm)) / stop
        end as items
    from comings
),
read as (
    select
        evaluation_id,
        sum(coalesce(gained, 0)) as gained,
        sum(items) as items
    from series
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    read.gained / read.items as value,
    read.items as expected_items,
    read.gained as expected_total_utility
from evaluated_topics
join read on read.evaluation_id = evaluated_topics.evaluation_id
