-- title: How far two orders of the same runs by their means agree
-- parameters:
--   across varchar in {measures, qrels} = measures   what orders the runs: measures under the same judgments, or
--                               judgment sets by the same measure
--   reference varchar = null    one that all others are compared with; null: every pair once
--   digits integer in [0, 15] = 12    decimal places of the means that are compared; runs whose means are equal to so
--                               many are tied. 4 compares as printed; 12 takes off what is rounding of sums
-- columns:
--   held           what both orders share: judgment set or measure
--   reference      what one order is by: measure or judgment set
--   other          what the other order is by
--   num_runs       runs in both orders
--   tau_b          Kendall's tau-b; null where it is not defined
--   rho            Spearman's rho, tied runs having the mean of their ranks; null where it is not defined
--   tau_ap         tau_AP of the other order, the reference being taken for true: differences at the top of the other
--                  order weigh most; expected over all orders of tied runs
--   tau_ap_other   tau_AP of the reference's order, the other being taken for true
--   note           one run, or all tied: where there is nothing to order; null otherwise
-- definition: Over pairs of runs, concordant C, discordant D, tied in the one order T and in the other U: tau-b is
--     (C - D) / sqrt((C + D + T) (C + D + U)), where T and U count pairs tied in that order alone. rho is the
--     correlation of ranks. tau_AP is 2 / (n - 1) times the sum over places i from 2 on of the share of the i - 1 runs
--     above that place that are above its run in the true order too, less 1. Where runs are tied in either order the
--     mean of tau_AP over all orders of the tied is given, which counts a pair that is tied in the true order as half.
-- reference: Kendall 1945, doi:10.1093/biomet/33.3.239; Spearman 1904; Yilmaz, Aslam and Robertson 2008, A new rank
--     correlation coefficient for information retrieval, doi:10.1145/1390334.1390435
with means_compared as materialized (
    -- Materialised, since the engine would compute all means again wherever they are read below.
    select
        case
            when $across = 'measures' then qrels
            when $across = 'qrels' then measure
            else error('across is ' || $across || ', but must be measures or qrels')
        end as held,
        case when $across = 'measures' then measure else qrels end as judge,
        run,
        round(value, $digits) as mean
    from summary
    qualify
        case
            when $reference is null or bool_or(judge = $reference) over () then true
            else error('reference is ' || $reference || ', and none of the ' || $across || ' with means is called so')
        end
),
sides as (
    -- Each run towards each: 1 where the rival is above it, 0 where they are tied, as a run is with itself.
    select
        standing.held,
        standing.judge,
        standing.run,
        rival.run as rival,
        case
            when rival.mean > standing.mean then 1
            when rival.mean < standing.mean then -1
            else 0
        end as side
    from means_compared as standing
    join means_compared as rival using (held, judge)
),
by_run as (
    select
        sides.held,
        sides.judge,
        others.judge as other,
        sides.run,
        sum(sides.side * others.side) as num_agreeing,
        sum(sides.side) as off_middle,
        sum(others.side) as other_off_middle,
        count(case when sides.side = 1 then 1 end) as num_above,
        count(case when others.side = 1 then 1 end) as other_above,
        count(case when sides.side = 0 then 1 end) as num_tied,
        count(case when others.side = 0 then 1 end) as other_tied,
        sum(case when sides.side = 1 then 1 + others.side else 0 end) as confirmed,
        sum(case when others.side = 1 then 1 + sides.side else 0 end) as other_confirmed
    from sides
    join sides as others using (held, run, rival)
    where
        sides.judge <> others.judge
        and sides.judge = coalesce($reference, sides.judge)
        and ($reference is not null or sides.judge < others.judge)
    group by sides.held, sides.judge, others.judge, sides.run
),
harmonic_numbers as (
    -- The sum of 1 / i over the places down to each.
    select
        place,
        sum(1 / place) over (order by place) as harmonic
    from (select row_number() over (order by run) as place from (select distinct run from means_compared))
),
stretches as (
    -- The mean of 1 / (i - 1) over the places i of runs tied below others.
    select
        first_place.place as num_above,
        last_place.place - first_place.place + 1 as num_tied,
        (last_place.harmonic - first_place.harmonic + 1 / first_place.place)
            / (last_place.place - first_place.place + 1) as weight
    from harmonic_numbers as first_place
    join harmonic_numbers as last_place on last_place.place >= first_place.place
),
weighed as (
    -- Runs tied at the top have no other run above them. Of two tied runs each is above the other in half of the orders.
    select
        by_run.held,
        by_run.judge,
        by_run.other,
        by_run.run,
        by_run.num_agreeing,
        by_run.off_middle,
        by_run.other_off_middle,
        by_run.num_tied,
        by_run.other_tied,
        case
            when by_run.num_above = 0 then (by_run.num_tied - 1) / (2.0 * by_run.num_tied)
            else (by_run.confirmed * stretches.weight + 1 - by_run.num_above * stretches.weight) / 2
        end as confirmed,
        case
            when by_run.other_above = 0 then (by_run.other_tied - 1) / (2.0 * by_run.other_tied)
            else (by_run.other_confirmed * other_stretches.weight + 1 - by_run.other_above * other_stretches.weight) / 2
        end as other_confirmed
    from by_run
    left join stretches using (num_above, num_tied)
    left join stretches as other_stretches
        on other_stretches.num_above = by_run.other_above
        and other_stretches.num_tied = by_run.other_tied
),
totals as (
    -- The order makes sums of fractions the same to the last digit each time.
    select
        held,
        judge,
        other,
        count(*) as num_runs,
        sum(num_agreeing) as num_agreeing,
        sum(off_middle * other_off_middle) as joint_spread,
        sum(off_middle * off_middle) as spread,
        sum(other_off_middle * other_off_middle) as other_spread,
        sum(num_tied) as num_tied,
        sum(other_tied) as other_tied,
        sum(confirmed order by run) as confirmed,
        sum(other_confirmed order by run) as other_confirmed
    from weighed
    group by held, judge, other
)
select
    held,
    judge as reference,
    other,
    num_runs,
    num_agreeing / nullif(
        sqrt(cast(num_runs * num_runs - num_tied as double) * (num_runs * num_runs - other_tied)),
        0
    ) as tau_b,
    joint_spread / nullif(sqrt(cast(spread as double) * other_spread), 0) as rho,
    2 * least(other_confirmed, num_runs - 1) / nullif(num_runs - 1, 0) - 1 as tau_ap,
    2 * least(confirmed, num_runs - 1) / nullif(num_runs - 1, 0) - 1 as tau_ap_other,
    case
        when num_runs = 1 then 'one run'
        when num_runs * num_runs = num_tied or num_runs * num_runs = other_tied then 'all tied'
    end as note
from totals
