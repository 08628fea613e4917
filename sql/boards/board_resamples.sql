-- title: Boards in samples: the mean and the place of each system over collections that are drawn with replacement
-- parameters: measure, mean, lower_is_better, missing, versions, draw, samples, seed
-- columns: measure, system, version
--   draw           number of the sample, from 1; 0 is the board itself
--   mean           mean of the system in the sample; null where it has none of the collections drawn
--   signed_mean    the mean, or below 0 by as much where the lesser one is better
--   place          place in the sample: 1 and the number of systems that are strictly better
--   num_clusters   clusters drawn
-- definition: As many clusters are drawn as there are (collection_clusters), each with all its collections. With
--     draw := 'topics' as many topics as a collection has are drawn anew each time it is drawn, where a system has
--     values for all of them; else its figure stays. By borda, wins and standardised collections alone are drawn. All
--     systems have the same samples. More than 100 topics are drawn in 100 groups, put together by lot, each of which
--     moves the mean by what its topics together are above it; in fewer groups, 20 at least, where all collections
--     would have more than 2,000. The function hash32 draws by seed, sample and number.
-- reference: Efron and Tibshirani 1993, An introduction to the bootstrap; Davison and Hinkley 1997, Bootstrap methods
--     and their application, 3.8 (samples within samples); Cameron, Gelbach and Miller 2008 (clusters),
--     doi:10.1162/rest.90.3.414
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
-- A collection has a unit for figures without topics, and behind it one for each group of topics.
collections as materialized (
    select
        *,
        row_number() over (order by collection) as collection_place,
        dense_rank() over (order by cluster) as cluster_place,
        cast(sum(num_groups + 1) over (order by collection) as bigint) - num_groups as unit
    from (
        select
            collection,
            any_value(cluster) as cluster,
            arg_max(topics, {'amount': len(topics), 'topics': topics}) filter (
                where $draw = 'topics' and $mean in ('macro', 'micro')
            ) as drawn_topics,
            least(coalesce(len(drawn_topics), 0), 100, greatest(20, 2000 // count(*) over ())) as num_groups
        from cells
        group by collection
    )
),
units as materialized (
    select
        collection,
        unit as first_unit,
        unnest(range(unit, unit + num_groups + 1)) as unit
    from collections
),
placed_topics as (
    select
        collection,
        topic_place,
        unit + row_number() over (
            partition by collection
            order by draw_key($seed, topic_place)
        ) % num_groups + 1 as unit
    from (select *, unnest(range(1, len(drawn_topics) + 1)) as topic_place from collections)
),
deviations as (
    select
        cells.system,
        cells.version,
        placed_topics.unit,
        sum(cells.topic_values[placed_topics.topic_place] - cells.value order by placed_topics.topic_place)
        / any_value(cells.num_topics) as deviation
    from cells
    join collections
        on collections.collection = cells.collection
        and collections.drawn_topics = cells.topics
    join placed_topics on placed_topics.collection = cells.collection
    group by cells.system, cells.version, placed_topics.unit
),
systems as materialized (
    select
        held.system,
        held.version,
        any_value(cells.direction) as direction,
        list(
            case
                when deviations.unit is not null
                    then cells.weight * (cells.value / collections.num_groups + deviations.deviation)
                when units.unit = units.first_unit and (cells.topics = collections.drawn_topics) is not true
                    then coalesce(cells.weight * cells.figure, 0)
                else 0
            end
            order by units.unit
        ) as addends,
        list(coalesce(cells.weight, 0) order by units.unit) filter (where units.unit = units.first_unit) as weights
    from (select distinct system, version from cells) as held
    cross join units
    join collections using (collection)
    left join cells
        on cells.system = held.system
        and cells.version is not distinct from held.version
        and cells.collection = units.collection
    left join deviations
        on deviations.system = held.system
        and deviations.version is not distinct from held.version
        and deviations.unit = units.unit
    group by held.system, held.version
),
draws as materialized (
    select unnest(range(1, cast($samples as bigint) + 1)) as draw_number
),
drawn_collections as materialized (
    select
        picks.draw_number,
        collections.unit,
        collections.num_groups,
        hash32(picks.pick_key, collections.collection_place) as topic_key
    from (
        select
            draw_number,
            unnest(hash32_list(draw_key($seed, draw_number), 1, num_clusters)) as pick_key,
            num_clusters
        from draws
        cross join (select max(cluster_place) as num_clusters from collections)
    ) as picks
    join collections on collections.cluster_place = 1 + picks.pick_key % picks.num_clusters
),
drawn_units as (
    select
        draw_number,
        unit,
        1 as times
    from drawn_collections
    union all
    select
        draw_number,
        unit + 1 + unnest(hash32_list(topic_key, 1, num_groups)) % num_groups as unit,
        1 as times
    from drawn_collections
    where num_groups > 0
    union all
    select
        draws.draw_number,
        units.unit,
        0 as times
    from draws
    cross join units
),
samples_drawn as materialized (
    select
        draw_number,
        list(times order by unit) as times
    from (
        select
            draw_number,
            unit,
            cast(sum(times) as double) as times
        from drawn_units
        group by draw_number, unit
    )
    group by draw_number
    union all
    select
        0 as draw_number,
        list(1.0e0) as times
    from units
),
means as (
    select
        systems.system,
        systems.version,
        systems.direction,
        drawn.draw_number,
        list_dot_product(systems.addends, drawn.times)
        / nullif(list_dot_product(systems.weights, drawn.collection_times), 0) as drawn_mean
    from systems
    cross join (
        select
            draw_number,
            times,
            list_select(times, (select list(unit order by unit) from collections)) as collection_times
        from samples_drawn
    ) as drawn
)
select
    $measure as measure,
    system,
    version,
    draw_number as draw,
    drawn_mean as mean,
    direction * drawn_mean as signed_mean,
    rank() over (partition by draw_number order by round(direction * drawn_mean, 12) desc nulls last) as place,
    (select max(cluster_place) from collections) as num_clusters
from means
