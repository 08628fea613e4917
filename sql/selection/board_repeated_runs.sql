-- title: Runs of a board that have a twin: of the same system, version, date and judgment set, loaded before
-- inputs: board_cells
-- columns:
--   collection   collection of the board
--   used         run whose value is on the board
--   others       its twins
with evaluated as (
    select distinct
        qrels_id,
        run_id
    from evaluations
    union
    select distinct
        qrels_id,
        run_id
    from stored_scores
)
select
    board_cells.collection,
    board_cells.run as used,
    list(other.run order by other.run) as others
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
order by board_cells.collection, board_cells.run
