-- title: Boards: how far systems are from each other over collections, and how surely
-- parameters: baseline, measure, mean, lower_is_better, missing, versions, draw, intervals, samples, seed, confidence
--   baseline varchar = null   system that all others are compared with; null is every pair, the one that comes first
--                           by place and name being the baseline, which takes long for hundreds of systems
-- columns: measure
--   baseline           system compared with
--   baseline_version   its version; null for none
--   system             system compared
--   version            its version; null for none
--   num_collections    collections that both have
--   baseline_mean      mean of the baseline
--   mean               mean of the system
--   difference         mean less that of the baseline, over the same samples
--   low                lower end of the bootstrap interval of the difference; null for fewer than three clusters, and
--                      where one of the two has a collection that the other lacks
--   high               upper end
--   separated          whether the interval excludes 0; null where there is none
--   wins               collections where the system is better
--   ties               collections where both are equal
--   losses             collections where the baseline is better
--   p                  two-sided p of the paired t test over collections; null for one collection
--   p_corrected        p corrected by Holm for all pairs that are given
--   sign_p             two-sided p of the sign test over collections
--   simpson            whether one of them is better by the mean and the other on more collections
-- definition: Differences are over the collections that both systems have, their intervals by the samples of
--     board_resamples: an end is a drawn value, of two the outer one. Tests are over collections, each of which counts
--     once, as if those were drawn from many.
-- reference: Demsar 2006, Statistical comparisons of classifiers over multiple data sets, JMLR 7; Simpson 1951
with cells as materialized (
    select board.*
    from boards(
        measure := $measure,
        mean := $mean,
        lower_is_better := $lower_is_better,
        missing := $missing,
        versions := $versions
    ) as board
),
systems as materialized (
    select
        found.system,
        found.version,
        row_number() over (
            order by any_value(found.place) filter (where found.draw = 0), found.system, found.version
        ) as line,
        any_value(found.mean) filter (where found.draw = 0) as board_mean,
        list(found.mean order by found.draw) filter (where found.draw > 0) as means,
        any_value(found.num_clusters) as num_clusters
    from board_resamples(
        measure := $measure,
        mean := $mean,
        lower_is_better := $lower_is_better,
        missing := $missing,
        versions := $versions,
        draw := $draw,
        samples := $samples,
        seed := $seed
    ) as found
    group by found.system, found.version
),
pairs as (
    select
        base.line as base_line,
        other.line,
        base.means as base_means,
        other.means
    from systems as base
    join systems as other on other.line <> base.line
    where
        case
            when $baseline is null then base.line < other.line
            when $baseline in (select systems.system from systems) then base.system = $baseline
            else error('baseline is ' || $baseline || ', and no system on the board is called so')
        end
),
drawn_differences as (
    select
        base_line,
        line,
        list_sort(list(drawn_difference) filter (where drawn_difference is not null)) as differences
    from (
        select
            base_line,
            line,
            unnest(means) - unnest(base_means) as drawn_difference
        from pairs
    )
    group by base_line, line
),
sizes as (
    select
        systems.line,
        count(*) as num_held
    from systems
    join cells
        on cells.system = systems.system
        and cells.version is not distinct from systems.version
    group by systems.line
),
compared as (
    select
        pairs.base_line,
        pairs.line,
        count(*) as num_collections,
        any_value(base_size.num_held) = count(*) and any_value(size.num_held) = count(*) as have_same,
        count(*) filter (where cells.place < base_cells.place) as wins,
        count(*) filter (where cells.place = base_cells.place) as ties,
        count(*) filter (where cells.place > base_cells.place) as losses,
        any_value(cells.direction) as direction,
        sum(cells.weight * cells.figure order by cells.collection) / sum(cells.weight) as pair_mean,
        sum(cells.weight * base_cells.figure order by cells.collection) / sum(cells.weight) as base_mean,
        avg(cells.figure - base_cells.figure order by cells.collection) as average,
        stddev_samp(cells.figure - base_cells.figure order by cells.collection) as deviation
    from pairs
    join systems as base on base.line = pairs.base_line
    join systems as other on other.line = pairs.line
    join sizes as base_size on base_size.line = pairs.base_line
    join sizes as size on size.line = pairs.line
    join cells as base_cells
        on base_cells.system = base.system
        and base_cells.version is not distinct from base.version
    join cells
        on cells.system = other.system
        and cells.version is not distinct from other.version
        and cells.collection = base_cells.collection
    group by pairs.base_line, pairs.line
),
ends as (
    select
        drawn.base_line,
        drawn.line,
        drawn.differences[cast(floor(tails.tail * (len(drawn.differences) - 1)) as bigint) + 1] as low,
        drawn.differences[cast(ceil((1 - tails.tail) * (len(drawn.differences) - 1)) as bigint) + 1] as high
    from drawn_differences as drawn
    cross join (
        select bootstrap_tail($confidence, num_clusters, cast($intervals = 'expanded' as integer)) as tail
        from (select max(num_clusters) as num_clusters from systems)
    ) as tails
),
tested as (
    select
        *,
        case
            when deviation > 1e-12
                then student_p(average / deviation * sqrt(num_collections), num_collections - 1)
            when num_collections > 1 then cast(abs(average) <= 1e-12 as double)
        end as p
    from compared
),
corrected as (
    select
        *,
        case when p is not null then least(1, max((num_tests - place + 1) * p) over (order by place)) end as p_corrected
    from (
        select
            *,
            row_number() over (order by p nulls last, base_line, line) as place,
            count(p) over () as num_tests
        from tested
    )
)
select
    $measure as measure,
    base.system as baseline,
    base.version as baseline_version,
    other.system,
    other.version,
    compared.num_collections,
    compared.base_mean as baseline_mean,
    compared.pair_mean as mean,
    compared.pair_mean - compared.base_mean as difference,
    case when compared.have_same then ends.low end as low,
    case when compared.have_same then ends.high end as high,
    case when compared.have_same then ends.low > 1e-12 or ends.high < -1e-12 end as separated,
    compared.wins,
    compared.ties,
    compared.losses,
    compared.p,
    compared.p_corrected,
    sign_p(compared.wins, compared.losses) as sign_p,
    coalesce(
        sign(round(compared.direction * (compared.pair_mean - compared.base_mean), 12))
        * sign(compared.wins - compared.losses) < 0,
        false
    ) as simpson
from corrected as compared
join ends on ends.base_line = compared.base_line and ends.line = compared.line
join systems as base on base.line = compared.base_line
join systems as other on other.line = compared.line
