-- title: Which systems a board may have, in which version, and how many collections each has
-- parameters: measure, missing, versions
-- columns: measure, system, version
--   num_collections   collections that it has a value for
--   num_versions      versions of the system that have a value
--   num_wanted        collections that any system has a value for
--   is_shown          whether it stands on the board
-- definition: A system is shown in the version that has most collections, of several such ones not in that named
--     external (figures that others published), then in the latest by date, then in that whose name comes last. By
--     default a system that lacks a collection is not shown: means over different collections are not compared.
with board_values as (
    -- The values of this measure alone, evaluated once.
    select * from board_values where board_values.measure = $measure
),
versions_held as (
    select
        held.measure as measure_name,
        held.system,
        held.version,
        count(distinct held.collection) as num_collections,
        max(held.dated_at) as dated_at
    from board_values as held
    group by held.measure, held.system, held.version
),
placed as (
    select
        *,
        count(*) over (partition by system) as num_versions,
        row_number() over (
            partition by system
            order by num_collections desc, version is not distinct from 'external', dated_at desc, version desc
        ) as place
    from versions_held
),
wanted as (
    select count(distinct held.collection) as num_wanted
    from board_values as held
),
unknown as (
    -- A row whose every column raises the error; no filter leaves it out. The default is asked for by nobody.
    select cast(error('measure is ' || $measure || ', and no measure of these values is called so') as integer) as told
    from wanted
    where num_wanted = 0 and $measure <> 'nDCG@10'
)
select
    placed.measure_name as measure,
    placed.system,
    placed.version,
    placed.num_collections,
    placed.num_versions,
    wanted.num_wanted,
    $missing <> 'complete' or placed.num_collections = wanted.num_wanted as is_shown
from placed
cross join wanted
where
    placed.place = 1
    or $versions = 'all'
union all
select
    cast(told as varchar) as measure,
    cast(told as varchar) as system,
    cast(told as varchar) as version,
    told as num_collections,
    told as num_versions,
    told as num_wanted,
    cast(told as boolean) as is_shown
from unknown
