-- title: Boards: each system on each collection, with its place there and how far it is from the others
-- parameters: measure, mean, lower_is_better, missing, versions
-- columns: measure, system, version
--   collection     collection
--   cluster        its cluster
--   value          value of the system
--   num_topics     topics averaged; null for a figure without topics
--   topics         those topics; null where there are no values by topic
--   topic_values   the value of each
--   dated_at       date of the run, in UTC
--   place          place on the collection: 1 and the number of systems that are strictly better
--   borda          the same, of equal systems the mean of the places that they take together
--   wins           share of the other systems that it is better than, equal ones by half; null for one system
--   standardised   distance from the mean of the systems in their standard deviations, above 0 for the better ones; 0
--                  where all are equal
--   num_systems    systems that have a value on the collection
--   median         median of their values
--   difference     value less the median
--   figure         what the mean of the parameter is over: the value, or borda, wins or standardised
--   weight         what the collection weighs in that mean: 1, for micro the number of topics
--   direction      1, or -1 where the lesser figure is the better one
-- definition: Places and distances are those among the systems on the board, which board_rows has; by micro without
--     those that have a figure without topics. Values are equal that differ by rounding, beyond twelve decimals.
-- reference: Webber, Moffat and Zobel 2008, Score standardization for inter-collection comparison of retrieval systems,
--     doi:10.1145/1390334.1390346
with board_values as (
    -- The values of this measure alone, evaluated once, for board_rows too.
    select * from board_values where board_values.measure = $measure
),
cells as (
    select
        found.*,
        coalesce(collection_clusters.cluster, found.collection) as cluster,
        case when $lower_is_better then -1 else 1 end as better
    from board_rows(measure := $measure, missing := $missing, versions := $versions) as shown
    left join board_values as found
        on found.system = shown.system
        and found.version is not distinct from shown.version
    left join collection_clusters on collection_clusters.collection = found.collection
    where shown.is_shown
    window each_row as (partition by found.system, found.version)
    qualify $mean <> 'micro' or count(*) over each_row = count(found.num_topics) over each_row
),
placed as (
    select
        *,
        rank() over (partition by collection order by round(better * value, 12) desc) as place,
        count(*) over (partition by collection, round(value, 12)) as num_equal,
        avg(value) over every as average,
        stddev_samp(value) over every as deviation,
        count(*) over every as num_systems,
        median(value) over (partition by collection) as median
    from cells
    where
        $missing <> 'common'
        or collection in (
            select collection
            from cells
            group by collection
            having count(*) = (select count(*) from (select distinct system, version from cells))
        )
    window every as (
        partition by collection
        order by system, version
        rows between unbounded preceding and unbounded following
    )
)
select
    placed.measure,
    system,
    version,
    collection,
    cluster,
    value,
    num_topics,
    topics,
    topic_values,
    dated_at,
    place,
    place + (num_equal - 1) / 2 as borda,
    (num_systems - place - (num_equal - 1) / 2) / nullif(num_systems - 1, 0) as wins,
    case when deviation > 1e-12 then better * (value - average) / deviation else 0 end as standardised,
    num_systems,
    median,
    value - median as difference,
    case
        when $mean = 'borda' then borda
        when $mean = 'wins' then wins
        when $mean = 'standardised' then standardised
        else value
    end as figure,
    case when $mean = 'micro' then num_topics else 1 end as weight,
    case
        when $mean = 'borda' then -1
        when $mean in ('wins', 'standardised') then 1
        else better
    end as direction
from placed
