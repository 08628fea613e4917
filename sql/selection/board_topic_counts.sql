-- title: Systems of a board whose value on a collection is over fewer topics than those of others
-- inputs: board_cells
-- columns:
--   collection   collection of the board
--   num_topics   topics averaged
--   most         topics averaged of others
--   systems      those with so many topics, in the order of their names
-- definition: Of a figure without topics their number is that which its own file gave as num_q; figures that came without
--     are not compared. trec_eval averages over the topics that a run has unless -c is given.
-- reference: Buckley, trec_eval, measure num_q
with counted as (
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
)
select
    collection,
    cast(num_topics as integer) as num_topics,
    cast(any_value(most) as integer) as most,
    list(system order by system) as systems
from compared
where num_topics < most
group by collection, num_topics
order by collection, num_topics
