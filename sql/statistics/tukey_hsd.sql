-- title: Randomised Tukey HSD: all pairs of runs at once, with p values that hold for the family of all pairs
-- parameters: baseline, samples, seed
--   baseline varchar = null                     run whose pairs are shown, which changes no p; null: all pairs
--   samples integer in [1, 2147483647] = 10000  permutations
-- columns: qrels, measure
--   baseline     run compared with; without a baseline the one whose name comes first
--   run          run compared
--   num_topics   topics that all runs have a value for
--   difference   mean difference; on the logarithmic scale (see compared_values) of logarithms
--   p            p value, corrected for all pairs
--   note         identical: the two runs are equal on all topics; one topic: there is but one; else null
-- definition: In each sample the values of each topic are permuted among the runs; p is (count + 1) / (samples + 1) of
--     samples in which the greatest mean of a run less the least is at least the observed difference, whatever its
--     sign. A permutation is the order of the numbers that the function hash32 gives to seed, sample, place of the
--     topic in the order of names, and place of the run; each order is as likely as any other, but for the 32 bits of
--     the numbers. Ranges are equal that differ by less than 1e-12 of the sum over topics of the greatest absolute
--     value.
-- reference: Carterette 2012, doi:10.1145/2094072.2094076; Sakai 2018, doi:10.1007/978-981-13-1199-4
with given as materialized (
    select
        qrels,
        measure,
        run,
        topic,
        compared as value
    from compared_values()
),
families as (
    select
        row_number() over (order by qrels, measure) as family_id,
        qrels,
        measure,
        count(distinct run) as num_runs
    from given
    group by qrels, measure
),
blocks as materialized (
    select
        families.family_id,
        families.num_runs,
        given.topic,
        row_number() over (partition by families.family_id order by given.topic) as place,
        list(given.value order by given.run) as block,
        max(abs(given.value)) as greatest_value
    from given
    join families using (qrels, measure)
    where families.num_runs > 1
    group by families.family_id, families.num_runs, given.topic
    having count(*) = families.num_runs
),
shapes as (
    select
        num_runs,
        place,
        max(place) over (partition by num_runs) as num_places
    from (select distinct num_runs, place from blocks)
),
-- Stretches of twenty topics of a sample. The engine divides the rows of a window among its threads.
drawn_stretches as (
    select
        shapes.num_runs,
        draws.draw,
        shapes.place as first_place,
        coalesce(
            lead(shapes.place) over (
                partition by shapes.num_runs, draws.draw
                order by shapes.place
            ),
            shapes.num_places + 1
        ) as next_place
    from shapes
    cross join range(1, cast($samples as bigint) + 1) as draws(draw)
    where shapes.place % 20 = 1
),
drawn_places as (
    select
        num_runs,
        draw,
        draw_key($seed, draw) as draw_key,
        unnest(range(first_place, next_place)) as place
    from drawn_stretches
),
place_keys as (
    select
        num_runs,
        draw,
        place,
        hash32(draw_key, place) as place_key
    from drawn_places
),
-- The places of the runs, in the order of the numbers drawn for them, equal ones in their own.
permutations as (
    select
        num_runs,
        place,
        draw,
        list_grade_up(
            list_transform(
                hash32_list(place_key, 1, num_runs),
                lambda number, run_place: number * 2147483648 + run_place
            )
        ) as permutation
    from place_keys
),
permuted as (
    select
        blocks.family_id,
        permutations.draw,
        unnest(range(1, blocks.num_runs + 1)) as run_place,
        unnest(list_select(blocks.block, permutations.permutation)) as value
    from permutations
    join blocks using (num_runs, place)
),
permuted_totals as (
    select
        family_id,
        draw,
        run_place,
        sum(value) as total
    from permuted
    group by family_id, draw, run_place
),
ranges as (
    select
        family_id,
        draw,
        max(total) - min(total) as spread
    from permuted_totals
    group by family_id, draw
),
ranked_ranges as (
    select
        family_id,
        spread,
        count(*) over (partition by family_id order by spread desc) as num_at_least
    from ranges
),
run_totals as (
    select
        families.family_id,
        families.qrels,
        families.measure,
        given.run,
        count(*) as num_topics,
        sum(given.value order by given.topic) as total,
        list(given.value order by given.topic) as vals,
        1e-12 * sum(blocks.greatest_value order by given.topic) as slack
    from given
    join families using (qrels, measure)
    join blocks using (family_id, topic)
    group by families.family_id, families.qrels, families.measure, given.run
),
base_totals as (
    select *
    from run_totals
    where
        case
            when $baseline is null then true
            when $baseline in (select given.run from given union all select runs.run from runs) then run = $baseline
            else error('baseline is ' || $baseline || ', and no run is called so')
        end
),
compared_pairs as (
    select
        base.family_id,
        base.qrels,
        base.measure,
        base.run as baseline,
        other.run,
        base.num_topics,
        other.total - base.total as total,
        abs(other.total - base.total) - base.slack as least_range,
        list_distance(other.vals, base.vals) < 5e-13 as identical
    from base_totals as base
    join run_totals as other using (family_id)
    where
        other.run <> base.run
        and ($baseline is not null or base.run < other.run)
)
select
    compared_pairs.qrels,
    compared_pairs.measure,
    compared_pairs.baseline,
    compared_pairs.run,
    compared_pairs.num_topics,
    compared_pairs.total / compared_pairs.num_topics as difference,
    (coalesce(ranked_ranges.num_at_least, 0) + 1) / (1 + cast($samples as double)) as p,
    case
        when compared_pairs.identical then 'identical'
        when compared_pairs.num_topics = 1 then 'one topic'
    end as note
from compared_pairs
asof left join ranked_ranges
    on ranked_ranges.family_id = compared_pairs.family_id
    and ranked_ranges.spread >= compared_pairs.least_range
