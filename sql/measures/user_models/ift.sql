-- measure: IFT
-- title: Information foraging: the reader goes on the less likely the more is gained towards a goal
-- aliases: IFT_C1
-- parameters: t, b, r, min_rel, max_rel, depth
--   t double in (0, 1e9] = 2                 gain that the reader wants in all
--   b double in (0, inf) = 0.9               willingness to go on: at the goal the chance is b / (1 + b)
--   r double in [0, inf) = 1                 how sharply the chance falls near the goal; 0 gives RBP
-- columns: expected_items, expected_total_utility
-- definition: Sum of W * gain, W being proportional to the product of the chances to go on from the ranks above,
--    1 - 1 / (1 + b * exp(r * (t - S))) with the sum S of the gains down to there, and adding up to 1 over all
--    ranks down to the depth. The gain is (grade - min_rel) / (max_rel - min_rel), between 0 and 1.
-- reference: Azzopardi, Thomas and Craswell 2018, Measuring the utility of search engine result pages,
--    doi:10.1145/3209978.3210027, the goal (C1)
-- differs: Equal to cwl_eval, which has no defaults and takes 1000 ranks. Without ties: no value over all orders
--    is known in closed form.
-- range: 0 1
-- mean: arithmetic
-- holes: filled_ranks to depth
-- scores: no
-- example: user-models IFT(t=1,b=1,r=0,depth=4) = 0.4
with gained as (
    select
        evaluation_id,
        rank,
        gain
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel)
    where rank <= coalesce($depth, rank)
    union all
    select
        evaluation_id,
        $depth as rank,
        0 as gain
    from asked_evaluations()
),
stretches as (
    -- The ranks down to each gained document, and those below all of them: throughout each of them S stays the same.
    -- Beyond 300 nothing changes, and exp() does not overflow.
    select
        evaluation_id,
        rank,
        gain,
        rank - coalesce(lag(rank) over down, 0) as size,
        exp(least(greatest(ln($b) + $r * ($t - (sum(gain) over down - gain)), -300), 300)) as odds
    from gained
    window down as (
        partition by evaluation_id
        order by rank nulls last, gain desc
        rows between unbounded preceding and current row
    )
),
chances as (
    select
        evaluation_id,
        rank,
        gain,
        size,
        1 / (1 + odds) as stop,
        -ln(1 + 1 / odds) as ln_onward
    from stretches
),
visits as (
    -- The product of the chances to go on from the ranks above; to the first rank everybody comes.
    select
        evaluation_id,
        gain,
        size,
        stop,
        ln_onward,
        exp(
            coalesce(
                sum(size * ln_onward) over above - first_value(ln_onward) over above + ln_onward,
                0
            )
        ) as at_first_rank
    from chances
    window above as (
        partition by evaluation_id
        order by rank nulls last, gain desc
        rows between unbounded preceding and 1 preceding
    )
),
readers as (
    -- The items of a stretch are a geometric series. A chance to go on of 1 to all digits leaves nothing of
    -- 1 - (1 - stop)^size, which is size * stop then.
    select
        evaluation_id,
        fsum(case when gain > 0 then gain * at_first_rank * exp((size - 1) * ln_onward) else 0 end) as gained,
        fsum(
            at_first_rank * case
                when size is null then 1 / stop
                when size * stop < 1e-5 then size - stop * size * (size - 1) / 2
                else (1 - exp(size * ln_onward)) / stop
            end
        ) as items
    from visits
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    readers.gained / readers.items as value,
    readers.items as expected_items,
    readers.gained as expected_total_utility
from evaluated_topics
join readers using (evaluation_id)
