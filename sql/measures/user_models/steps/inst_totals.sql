-- title: What a reader with a goal looks at and gains, the chance to go on approaching 1 with the square of the rank
-- parameters: model, t, min_rel, max_rel, depth, ties in {rule, worst, best}
--   model varchar in {inst, nerr11} = inst   inst: gains move the goal; nerr11: gains make the reader stop
--   t double in [0.25, inf) = 1              gain that the reader wants in all
-- columns:
--   evaluation_id   key of the evaluation
--   items           documents that the reader is expected to look at
--   gained          gain expected from them
with shifted as (
    select
        evaluation_id,
        above,
        last_place,
        gain,
        patience,
        case when $model = 'inst' then 2 * $t - gain_above else 2 * $t end as shift
    from gain_stretches(min_rel := $min_rel, max_rel := $max_rel, depth := $depth, ties := $ties)
),
moved as (
    -- A reader comes to a place of the stretch with the chance factor / (place + shift - 1)^2.
    select
        evaluation_id,
        above,
        last_place,
        gain,
        patience,
        shift,
        above + shift - 1 as now,
        above + lag(shift) over down - 1 as before
    from shifted
    window down as (
        partition by evaluation_id
        order by above
    )
),
factors as (
    select
        evaluation_id,
        above,
        last_place,
        gain,
        shift,
        4 * $t * $t * case
            when $model = 'nerr11' then patience
            when max(case when before is not null and abs(now) < 1e-12 then 1 else 0 end) over down = 1 then 0
            else exp(
                2 * sum(
                    case when before is null or abs(now) < 1e-12 then 0 else ln(abs(now)) - ln(before) end
                ) over down
            )
        end as factor
    from moved
    window down as (
        partition by evaluation_id
        order by above
        rows between unbounded preceding and current row
    )
),
edges as (
    -- The sum of 1 / (place + shift - 1)^2 over a stretch is the difference of the trigamma function at its two edges.
    select
        evaluation_id,
        factor,
        above + shift as x
    from factors
    union all
    select
        evaluation_id,
        -factor as factor,
        last_place + shift as x
    from factors
    where last_place is not null
),
lowered as (
    -- By trigamma(x) = 1 / x^2 + trigamma(x + 1), ten times, so that the asymptotic series has all digits.
    select
        evaluation_id,
        factor,
        1 / (x * x) + 1 / ((x + 1) * (x + 1))
            + 1 / ((x + 2) * (x + 2)) + 1 / ((x + 3) * (x + 3))
            + 1 / ((x + 4) * (x + 4)) + 1 / ((x + 5) * (x + 5))
            + 1 / ((x + 6) * (x + 6)) + 1 / ((x + 7) * (x + 7))
            + 1 / ((x + 8) * (x + 8)) + 1 / ((x + 9) * (x + 9)) as steps,
        1 / (x + 10) as y
    from edges
),
looked as (
    select
        evaluation_id,
        sum(
            factor * (
                steps + y * (
                    1 + y * (
                        0.5 + y * (
                            cast(1 as double) / 6 - y * y * (
                                cast(1 as double) / 30 - y * y * (
                                    cast(1 as double) / 42 - y * y * (
                                        cast(1 as double) / 30 - y * y * 5 / 66
                                    )
                                )
                            )
                        )
                    )
                )
            )
        ) as items
    from lowered
    group by evaluation_id
),
won as (
    select
        evaluation_id,
        sum(case when gain > 0 then factor * gain / pow(last_place + shift - 1, 2) else 0 end) as gained
    from factors
    group by evaluation_id
)
select
    looked.evaluation_id,
    looked.items,
    won.gained
from looked
join won on won.evaluation_id = looked.evaluation_id
