-- title: Boards: the place of each system with its bootstrap interval, and who is separated from whom
-- parameters: measure, mean, lower_is_better, missing, versions, draw, intervals, samples, seed, confidence
-- columns: measure, system, version
--   place         1 and the number of systems whose mean is strictly better
--   place_low     lower end of the interval of the place; null for fewer than three clusters
--   place_high    upper end
--   mean          mean over the collections
--   low           lower end of the interval of the mean; null for fewer than three clusters
--   high          upper end
--   separated     whether the interval of the difference from the next system below excludes 0; null for the last one
--   tied_first    whether that of the difference from the first system does not
--   place_group   number of its group, from 1
-- definition: Quantiles of what board_resamples draws; an end of an interval is a drawn value, of two the outer one. A
--     group begins at the first system whose difference from the first of the group before excludes 0, from the best
--     mean down. Within a group nobody is separated from its first system. With fewer than three clusters nothing is
--     known of others like them, and there are no intervals. Percentile intervals of few figures are too short: of a
--     difference 84% hold it with 5 collections, 91% with 10, 93% with 20, where expanded ones do in 92% to 95%. With
--     topics drawn percentiles hold it in 93% to 97%.
-- reference: Efron and Tibshirani 1993, An introduction to the bootstrap; Goldstein and Spiegelhalter 1996, League
--     tables and their limitations, doi:10.2307/2983325; Hesterberg 2015, doi:10.1080/00031305.2015.1089789
with recursive drawn as (
    select
        found.system,
        found.version,
        found.draw as draw_number,
        found.mean as drawn_mean,
        found.signed_mean,
        found.place,
        found.num_clusters
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
),
systems as materialized (
    select
        row_number() over (order by place, system, version) as line,
        *
    from (
        select
            system,
            version,
            any_value(num_clusters) as num_clusters,
            any_value(drawn_mean) filter (where draw_number = 0) as mean_value,
            any_value(place) filter (where draw_number = 0) as place,
            list(signed_mean order by draw_number) filter (where draw_number > 0) as signed_means,
            list_sort(list(drawn_mean) filter (where draw_number > 0 and drawn_mean is not null)) as sorted_means,
            list_sort(list(place) filter (where draw_number > 0 and drawn_mean is not null)) as sorted_places
        from drawn
        group by system, version
    )
),
tails as (
    select bootstrap_tail($confidence, num_clusters, cast($intervals = 'expanded' as integer)) as tail
    from (select max(num_clusters) as num_clusters from systems)
    where num_clusters > 2
),
neighbours as (
    select
        line,
        count(*) filter (where difference <= 1e-12) <= floor(any_value(tail) * (count(difference) - 1)) as is_separated
    from (
        select
            above.line,
            tails.tail,
            unnest(above.signed_means) - unnest(below.signed_means) as difference
        from systems as above
        join systems as below on below.line = above.line + 1
        cross join tails
    )
    group by line
),
-- Each leader is compared with all below it; the first that is separated from it leads the next group.
leaders as (
    select
        cast(1 as bigint) as leader,
        1 as place_group
    from tails
    union all
    select
        min(line) as leader,
        any_value(place_group) + 1 as place_group
    from (
        select
            below_leader.line,
            any_value(below_leader.place_group) as place_group
        from (
            select
                below.line,
                leaders.place_group,
                tails.tail,
                unnest(above.signed_means) - unnest(below.signed_means) as difference
            from leaders
            join systems as above on above.line = leaders.leader
            join systems as below on below.line > leaders.leader
            cross join tails
        ) as below_leader
        group by below_leader.line
        having count(*) filter (where difference <= 1e-12) <= floor(any_value(tail) * (count(difference) - 1))
    )
    having min(line) is not null
),
firsts as (
    select
        line,
        count(*) filter (where difference <= 1e-12) > floor(any_value(tail) * (count(difference) - 1)) as is_tied
    from (
        select
            below.line,
            tails.tail,
            unnest(above.signed_means) - unnest(below.signed_means) as difference
        from systems as above
        join systems as below on above.line = 1
        cross join tails
    )
    group by line
)
select
    $measure as measure,
    systems.system,
    systems.version,
    systems.place,
    sorted_places[cast(floor(tails.tail * (len(sorted_places) - 1)) as bigint) + 1] as place_low,
    sorted_places[cast(ceil((1 - tails.tail) * (len(sorted_places) - 1)) as bigint) + 1] as place_high,
    systems.mean_value as mean,
    sorted_means[cast(floor(tails.tail * (len(sorted_means) - 1)) as bigint) + 1] as low,
    sorted_means[cast(ceil((1 - tails.tail) * (len(sorted_means) - 1)) as bigint) + 1] as high,
    neighbours.is_separated as separated,
    firsts.is_tied as tied_first,
    (select max(place_group) from leaders where leader <= systems.line) as place_group
from systems
left join tails on true
left join neighbours using (line)
left join firsts using (line)
