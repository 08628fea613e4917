-- title: Each ranking cut below its gained documents, with the weights 1 / (rank + goal - 1)^2 of each stretch
-- parameters: t, is_moved, min_rel, max_rel, depth, ties in {rule, worst, best}
--   is_moved boolean = true   whether each gain lowers the goal, which is 2t at the top
-- columns:
--   evaluation_id   key of the evaluation
--   rank            rank of the gained document at which the stretch ends; below all of them the depth, or null
--   gain            gain of that document; 0 below all of them
--   goal            goal throughout the stretch
--   weights         sum of the weights of its ranks
with gained as (
    select
        evaluation_id,
        rank,
        gain
    from scaled_gains(min_rel := $min_rel, max_rel := $max_rel, ties := $ties)
    where rank <= coalesce($depth, rank)
    union all
    select
        evaluation_id,
        $depth as rank,
        0 as gain
    from evaluations
),
stretches as (
    select
        evaluation_id,
        rank,
        gain,
        coalesce(lag(rank) over down, 0) as rank_above,
        2 * $t - case when $is_moved then sum(gain) over down - gain else 0 end as goal
    from gained
    window down as (
        partition by evaluation_id
        order by rank nulls last, gain desc
        rows between unbounded preceding and current row
    )
),
edges as (
    select
        evaluation_id,
        rank,
        gain,
        goal,
        rank_above + goal as x_above,
        rank + goal as x_below
    from stretches
),
lowered as (
    -- By trigamma(x) = 1 / x^2 + trigamma(x + 1), ten times, so that the asymptotic series in 1 / x has all digits.
    select
        evaluation_id,
        rank,
        gain,
        goal,
        1 / (x_above * x_above) + 1 / ((x_above + 1) * (x_above + 1))
            + 1 / ((x_above + 2) * (x_above + 2)) + 1 / ((x_above + 3) * (x_above + 3))
            + 1 / ((x_above + 4) * (x_above + 4)) + 1 / ((x_above + 5) * (x_above + 5))
            + 1 / ((x_above + 6) * (x_above + 6)) + 1 / ((x_above + 7) * (x_above + 7))
            + 1 / ((x_above + 8) * (x_above + 8)) + 1 / ((x_above + 9) * (x_above + 9)) as sum_above,
        1 / (x_below * x_below) + 1 / ((x_below + 1) * (x_below + 1))
            + 1 / ((x_below + 2) * (x_below + 2)) + 1 / ((x_below + 3) * (x_below + 3))
            + 1 / ((x_below + 4) * (x_below + 4)) + 1 / ((x_below + 5) * (x_below + 5))
            + 1 / ((x_below + 6) * (x_below + 6)) + 1 / ((x_below + 7) * (x_below + 7))
            + 1 / ((x_below + 8) * (x_below + 8)) + 1 / ((x_below + 9) * (x_below + 9)) as sum_below,
        1 / (x_above + 10) as y_above,
        1 / (x_below + 10) as y_below
    from edges
),
trigammas as (
    select
        evaluation_id,
        rank,
        gain,
        goal,
        sum_above + y_above * (
            1 + y_above * (
                0.5 + y_above * (
                    1e0 / 6 - y_above * y_above * (
                        1e0 / 30 - y_above * y_above * (
                            1e0 / 42 - y_above * y_above * (1e0 / 30 - y_above * y_above * 5 / 66)
                        )
                    )
                )
            )
        ) as at_top,
        sum_below + y_below * (
            1 + y_below * (
                0.5 + y_below * (
                    1e0 / 6 - y_below * y_below * (
                        1e0 / 30 - y_below * y_below * (
                            1e0 / 42 - y_below * y_below * (1e0 / 30 - y_below * y_below * 5 / 66)
                        )
                    )
                )
            )
        ) as at_end
    from lowered
)
-- The sum of the weights is the difference of the trigamma function at the two edges.
select
    evaluation_id,
    rank,
    gain,
    goal,
    at_top - coalesce(at_end, 0) as weights
from trigammas
