-- title: Randomisation test of the mean difference of each run from a baseline, by exchanging signs of differences
-- parameters: baseline, samples, seed
--   samples integer in [1, 2147483647] = 10000  assignments of signs that are tried where not all are
-- columns: qrels, measure, baseline, run, num_topics
--   difference   mean difference; on the logarithmic scale (see paired_differences) of logarithms
--   exact        whether all assignments of signs are counted
--   p            two-sided p value
--   note         identical: the two runs are equal on all topics; one topic: there is but one; else null
-- definition: Share of assignments of signs to the differences whose sum is at least as far from 0 as that observed:
--     of all of them where at most 20 differences are other than 0; else (count + 1) / (samples + 1) of signs that the
--     function hash32 draws by seed, sample and place of the topic among those compared in the order of their names, so
--     that all pairs with as many topics have the same signs. Sums are equal that differ by less than 1e-12 of the sum
--     of absolute differences; differences up to 5e-13 are rounding and count as 0.
-- reference: Fisher 1935, The design of experiments; Smucker, Allan and Carterette 2007, doi:10.1145/1321440.1321528
with pairs as materialized (
    select
        row_number() over (order by compared.qrels, compared.measure, compared.baseline, compared.run) as pair,
        compared.qrels,
        compared.measure,
        compared.baseline,
        compared.run,
        count(*) as num_topics,
        list(compared.difference order by compared.topic) as differences,
        sum(compared.difference order by compared.topic) as total,
        1e-12 * sum(abs(compared.difference) order by compared.topic) as slack,
        count(*) filter (where round(compared.difference, 12) <> 0) as num_unequal
    from paired_differences(baseline := $baseline) as compared
    group by compared.qrels, compared.measure, compared.baseline, compared.run
),
-- All assignments by two halves of ten differences: how many sums of the one make up for each sum of the other.
ten_signs as (
    select list_transform(range(10), lambda bit: (number >> bit & 1) * 2.0 - 1) as signs
    from (select unnest(range(1024)) as number)
),
twenty_differences as (
    select
        pair,
        total,
        slack,
        list_resize(list_filter(differences, lambda difference: round(difference, 12) <> 0), 20, 0.0) as differences
    from pairs
    where num_unequal between 1 and 20
),
first_halves as (
    select
        twenty_differences.pair,
        abs(twenty_differences.total) - twenty_differences.slack
        - list_dot_product(twenty_differences.differences[1:10], ten_signs.signs) as lacking
    from twenty_differences
    cross join ten_signs
),
second_halves as (
    select
        pair,
        half,
        count(*) over (partition by pair order by half desc) as num_at_least
    from (
        select
            twenty_differences.pair,
            list_dot_product(twenty_differences.differences[11:20], ten_signs.signs) as half
        from twenty_differences
        cross join ten_signs
    )
),
-- A sum at least as far below 0 is that of the opposite signs.
counted_all as (
    select
        first_halves.pair,
        2 * sum(second_halves.num_at_least) / 1048576 as share
    from first_halves
    asof join second_halves
        on second_halves.pair = first_halves.pair
        and second_halves.half >= first_halves.lacking
    group by first_halves.pair
),
draws as (
    select unnest(range(1, cast($samples as bigint) + 1)) as draw
),
drawn_keys as (
    select draw_key($seed, draw) as draw_key
    from draws
),
drawn_signs as materialized (
    select
        sizes.num_topics,
        list_transform(
            range(1, sizes.num_topics + 1),
            lambda place: case when hash32(drawn_keys.draw_key, place) < 2147483648 then -1.0 else 1.0 end
        ) as signs
    from (select distinct num_topics from pairs where num_unequal > 20) as sizes
    cross join drawn_keys
),
counted_draws as (
    select
        pairs.pair,
        count(*) as num_drawn,
        count(*) filter (
            where abs(list_dot_product(pairs.differences, drawn_signs.signs)) >= abs(pairs.total) - pairs.slack
        ) as num_at_least
    from pairs
    join drawn_signs using (num_topics)
    where pairs.num_unequal > 20
    group by pairs.pair
)
select
    pairs.qrels,
    pairs.measure,
    pairs.baseline,
    pairs.run,
    pairs.num_topics,
    pairs.total / pairs.num_topics as difference,
    pairs.num_unequal <= 20 as exact,
    case
        when pairs.num_unequal > 20 then (counted_draws.num_at_least + 1) / (counted_draws.num_drawn + 1)
        when pairs.num_unequal = 0 or abs(pairs.total) <= pairs.slack then 1
        else counted_all.share
    end as p,
    case
        when pairs.num_unequal = 0 then 'identical'
        when pairs.num_topics = 1 then 'one topic'
    end as note
from pairs
left join counted_all using (pair)
left join counted_draws using (pair)
