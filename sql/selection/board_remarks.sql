-- title: What is to be said of the values on a board: by other judgments, of other runs, or over fewer topics
-- inputs: board_collections, board_cells
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
    join run_versions as this on this.run = board_cells.run
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
    join runs on runs.run = board_cells.run
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
remarks as (
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
            collection, ': over ', format('{:,}', num_topics), case when num_topics = 1 then ' topic' else ' topics' end,
            ', those of others over ', most, ': ', array_to_string(systems[:5], ', '),
            case when len(systems) > 5 then ', ...' else '' end
        ) as remark
    from of_fewer
)
select
    row_number() over (order by part, nth) as place,
    remark
from remarks
