-- title: What a judge does to the order of runs by a measure: agreement of orders, the largest move, pairs that turn
-- parameters: names, reference, alpha, top
--   top integer in [2, inf) = 10   runs that are first by the reference, of tau_top
-- columns: measure
--   qrels             the reference, or the judgment set whose name comes first
--   other             judgment set compared with it
--   num_runs          runs that are evaluated with both
--   tau_b             Kendall's tau-b of the two orders; null where it is not defined
--   tau_ap            tau_AP of the order by the other, that by the reference being taken for true
--   tau_top         tau-b of the runs that are first by the reference
--   moved             run that moves most; of several the first by the reference
--   places            places that it gains by the other, below 0 those that it loses
--   num_significant   pairs of runs that differ by the reference
--   num_kept          of these, pairs that differ in the same direction by the other
--   num_turned        of these, pairs whose better run by the reference is the worse by the other
-- definition: Means are those of the view summary, over all topics of each judgment set; those that differ by less than
--     5e-13 are equal. Pairs differ where the paired t test has a p, corrected by Holm over the pairs of a measure and
--     judgment set, below alpha.
-- reference: Yilmaz, Aslam and Robertson 2008, doi:10.1145/1390334.1390435; Kutlu, Elsayed, Hasanain and Lease 2018,
--     When rank order isn't enough, doi:10.1145/3269206.3271751
with effects as materialized (
    select
        *,
        place - other_place as places
    from judgment_effects(names := $names, reference := $reference)
),
tested as materialized (
    select
        qrels,
        measure,
        baseline,
        run,
        holm < $alpha as differs
    from corrected_p_values()
),
run_pairs as (
    select
        effects.measure,
        effects.qrels,
        effects.other,
        effects.place <= $top and others.place <= $top as is_first,
        sign(round(others.value - effects.value, 12)) as direction,
        sign(round(others.other_value - effects.other_value, 12)) as other_direction,
        tested.differs,
        other_tests.differs as other_differs
    from effects
    join effects as others
        on others.measure = effects.measure
        and others.qrels = effects.qrels
        and others.other = effects.other
        and others.run > effects.run
    left join tested
        on tested.measure = effects.measure
        and tested.qrels = effects.qrels
        and tested.baseline = effects.run
        and tested.run = others.run
    left join tested as other_tests
        on other_tests.measure = effects.measure
        and other_tests.qrels = effects.other
        and other_tests.baseline = effects.run
        and other_tests.run = others.run
),
counts as (
    select
        measure,
        qrels,
        other,
        sum(case when is_first then direction * other_direction end)
        / nullif(
            sqrt(
                count(case when is_first and direction <> 0 then 1 end)
                * count(case when is_first and other_direction <> 0 then 1 end)
            ),
            0
        ) as tau_top,
        count(case when differs then 1 end) as num_significant,
        count(case when differs and other_differs and direction = other_direction then 1 end) as num_kept,
        count(case when differs and direction = -other_direction then 1 end) as num_turned
    from run_pairs
    group by measure, qrels, other
),
moves as (
    select
        measure,
        qrels,
        other,
        run,
        places,
        row_number() over (partition by measure, qrels, other order by abs(places) desc, place, run) as nth
    from effects
)
select
    orders.measure,
    orders.qrels,
    orders.other,
    orders.num_runs,
    orders.tau_b,
    orders.tau_ap,
    counts.tau_top,
    case when moves.places <> 0 then moves.run end as moved,
    moves.places,
    counts.num_significant,
    counts.num_kept,
    counts.num_turned
from qrels_agreement(reference := $reference) as orders
join moves
    on moves.measure = orders.measure
    and moves.qrels = orders.qrels
    and moves.other = orders.other
    and moves.nth = 1
left join counts
    on counts.measure = orders.measure
    and counts.qrels = orders.qrels
    and counts.other = orders.other
