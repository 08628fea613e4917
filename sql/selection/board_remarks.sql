-- title: What is to be said of a board: who is left out, what its values are of, who is told apart, what intervals are of
-- inputs: board_systems, board_figures, board_collections, board_cells, board_placed
-- parameters:
--   measure varchar = nDCG@10          canonical name of the measure
--   mean varchar = macro               what systems are placed by
--   missing varchar = complete         what of systems that lack a collection
--   versions varchar = last            whether the board has one version of each system, or all
--   draw varchar = topics              what is drawn with replacement
--   intervals varchar = percentile     percentile or expanded ones
--   confidence double in (0, 1) = 0.95   level of the intervals
--   are_pairs boolean = false          whether systems are compared with a baseline rather than placed
--   two_methods varchar = null         what is told where interval and p of a difference disagree
-- columns:
--   place    1 for the first line
--   remark   a line
-- definition: A collection may have several judgment sets in use. A run has a twin where another one was loaded before of
--     the same system, version, date and judgment set; the first five are told. Of a figure without topics their number is
--     that which its own file gave as num_q; figures that came without are not compared. trec_eval averages over the topics
--     that a run has unless -c is given.
-- reference: Buckley, trec_eval, measure num_q
with other_sets as (
    select
        found.collection,
        found.qrels as used,
        list(qrels.qrels order by qrels.qrels_id) as others
    from board_collections as found
    join qrels
        on coalesce(qrels.meta['collection'], qrels.qrels) = found.collection
        and qrels.qrels <> found.qrels
        and qrels.replaced_at is null
    group by found.collection, found.qrels
),
evaluated as (
    select distinct
        qrels_id,
        run_id
    from evaluations
    union
    select distinct
        qrels_id,
        run_id
    from stored_scores
),
twins as (
    select
        board_cells.collection,
        board_cells.run as used,
        list(other.run order by other.run) as others,
        row_number() over (order by board_cells.collection, board_cells.run) as nth
    from board_cells
    join run_versions as this using (run)
    join run_versions as other
        on other.run_id <> this.run_id
        and other.system = this.system
        and other.version is not distinct from this.version
        and other.dated_at = this.dated_at
    join qrels on qrels.qrels = board_cells.qrels
    join evaluated
        on evaluated.run_id = other.run_id
        and evaluated.qrels_id = qrels.qrels_id
    group by board_cells.collection, board_cells.run
),
counted as (
    select
        board_cells.collection,
        board_cells.system,
        coalesce(board_cells.num_topics, collection_scores.value) as num_topics
    from board_cells
    join runs using (run)
    left join collection_scores
        on collection_scores.run_id = runs.run_id
        and collection_scores.measure = 'NumQ'
),
compared as (
    select
        *,
        max(num_topics) over (partition by collection) as most
    from counted
),
of_fewer as (
    select
        collection,
        cast(num_topics as integer) as num_topics,
        cast(any_value(most) as integer) as most,
        list(system order by system) as systems
    from compared
    where num_topics < most
    group by collection, num_topics
),
lacking as (
    select
        list(system order by system, version) filter (where num_collections < num_wanted) as systems,
        max(num_wanted) as num_wanted,
        list(concat(system, ' ', coalesce(version, 'without one')) order by system, version)
            filter (where is_shown and num_versions > 1 and $versions = 'last') as chosen
    from board_systems
),
figures as (
    select
        collection,
        any_value(cluster) as cluster,
        bool_or(topics is not null) as has_topics
    from board_figures
    group by collection
),
sizes as (
    select
        count(*) as num_collections,
        count(distinct cluster) as num_clusters,
        case
            when count(distinct cluster) < count(*) then concat(' in ', count_of(count(distinct cluster), 'cluster'))
        end as clusters,
        $draw = 'topics' and $mean in ('macro', 'micro') and bool_or(has_topics) as draws_topics,
        case $mean
            when 'macro' then concat('mean of ', $measure, ' over collections')
            when 'micro' then concat('mean of ', $measure, ' over topics')
            when 'borda' then concat('mean place by ', $measure, ' on the collections')
            when 'wins' then concat('mean share of the other systems that one is better than by ', $measure)
            else concat('mean of standardised values of ', $measure)
        end as way
    from figures
),
told_apart as (
    select
        count(*) - 1 as num_others,
        count(separated) as num_known,
        count(case when not separated then 1 end) as num_near,
        -- The first is tied with itself, which is nothing to tell.
        count(case when tied_first then 1 end) - 1 as num_tied,
        bool_or((low > 0 or high < 0) <> (p_corrected < 1 - $confidence)) as disagree
    from board_placed
),
remarks as (
    select
        -2 as part,
        1 as nth,
        case $missing
            when 'common' then concat(num_collections, ' of ', num_wanted, ' collections, those that all systems have')
            else concat(
                case $missing when 'any' then 'means are over different collections: ' else 'left out, ' end,
                count_of(len(systems), 'system'), case when len(systems) = 1 then ' lacks' else ' lack' end,
                ' some of ', num_wanted, case $missing when 'any' then ': ' else ' collections: ' end,
                first_names(systems)
            )
        end as remark
    from lacking
    cross join sizes
    where len(systems) > 0
    union all
    select
        -1 as part,
        1 as nth,
        concat(
            'of several versions the one with most collections, then the latest: ', first_names(chosen)
        ) as remark
    from lacking
    where len(chosen) > 0
    union all
    select
        1 as part,
        row_number() over (order by collection) as nth,
        concat(collection, ': by ', used, ', not by ', array_to_string(others, ', '), '; --qrels names another') as remark
    from other_sets
    union all
    select
        2 as part,
        nth,
        concat(
            collection, ': ', used, ', which was loaded last, not ', array_to_string(others, ', '),
            ' of the same version and date'
        ) as remark
    from twins
    where nth <= 5
    union all
    select
        2 as part,
        6 as nth,
        concat('so on ', count(*), ' more collections and systems') as remark
    from twins
    where nth > 5
    having count(*) > 0
    union all
    select
        3 as part,
        row_number() over (order by collection, num_topics) as nth,
        concat(
            collection, ': over ', count_of(num_topics, 'topic'),
            ', those of others over ', most, ': ', first_names(systems)
        ) as remark
    from of_fewer
    union all
    select
        4 as part,
        1 as nth,
        case
            when $are_pairs
                then 'W-T-L: collections won, tied and lost; p of the paired t test over collections, corrected by Holm'
            else concat(
                'not separated: ', num_near, ' of ', num_others, ' neighbours, and ', num_tied, ' of ', num_others,
                ' systems from the first'
            )
        end as remark
    from told_apart
    where $are_pairs or num_known > 0
    union all
    select
        4 as part,
        2 as nth,
        $two_methods as remark
    from told_apart
    where $are_pairs and disagree
    union all
    select
        5 as part,
        1 as nth,
        case
            when num_clusters < 3 then concat(
                way, '; ', count_of(num_collections, 'collection'), clusters,
                ': too few for intervals, which take 3'
            )
            else concat(
                way, '; ', format('{:g}', 100 * $confidence), '% intervals: what other collections like these ', num_collections,
                clusters, case when draws_topics then ', with other topics,' end, ' would give',
                case
                    when not draws_topics and num_clusters < 20 and $intervals = 'percentile'
                        then '; of so few they are too short, expanded ones are wider'
                end
            )
        end as remark
    from sizes
)
select
    row_number() over (order by part, nth) as place,
    remark
from remarks
