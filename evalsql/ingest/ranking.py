"""Staged rows of runs on their way into the base tables: keys for names, repeated documents, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evalsql.errors import QueryError
from evalsql.ingest import keys
from evalsql.ingest.keys import loading_sql

if TYPE_CHECKING:
    from evalsql.ingest.runs import NewRun, RunOptions
    from evalsql.warehouse import Warehouse

PART_ROWS = 500_000  # staged rows that are worth a part of their own
STAGED = """
create or replace temp table staged_run_rows (
    file_id integer, topic varchar, document varchar, given_rank integer, score double, doubtful boolean
)"""


def rank(warehouse: Warehouse, runs: Sequence[NewRun], options: RunOptions) -> set[tuple[int, str, str]]:
    """Rank what is staged under the tie rule; returns run_id, topic and document of the documents that are repeated.

    The ranks are in the base table then, and what else loading takes from the staged rows in temporary tables.
    """
    _add_runs(warehouse, runs, options)
    keys.add_names(warehouse, "select * from staged_run_rows")
    # Files keep their order, whichever reader put them there.
    positions = "select *, (file_id::bigint << 40) + rowid as position from staged_run_rows"
    parts = [
        loading_sql(warehouse, "marked_rows", _compared(warehouse, f"{positions} where {part}", options))
        for part in _parts(warehouse)
    ]
    _create(warehouse, "marked_rows", "\nunion all\n".join(f"select * from (\n{part}\n)" for part in parts))
    _create(warehouse, "staged_lists", loading_sql(warehouse, "staged_lists", {"staged_files": _owners(runs)}))
    _create(warehouse, "resolved_ranks", loading_sql(warehouse, "tied_ranks", {}, tie_rule=options.tie_rule))
    if warehouse.rows("select 1 from staged_lists where not is_ordered limit 1"):
        compared = _compared(warehouse, positions, options)
        rows = loading_sql(warehouse, "sorted_ranks", compared, tie_rule=options.tie_rule)
        keys.insert(warehouse, "resolved_ranks", rows)
    ranked = loading_sql(warehouse, "ranked_rows", {"staged": positions})
    if _are_kept_whole(options):
        _retain(warehouse, ranked)
        ranked = f"select * from retrieved where run_id in ({_listed(runs)})"
    else:
        _create(warehouse, "all_ranks", ranked)
        ranked = "select * from all_ranks"
    _check_whole(warehouse, ranked)
    return _repeated(warehouse, ranked, num_runs=len(runs))


def _repeated(warehouse: Warehouse, ranked: str, *, num_runs: int) -> set[tuple[int, str, str]]:
    suspects = loading_sql(warehouse, "suspected_repeats", {"ranked": ranked}, num_runs=num_runs)
    if not warehouse.rows(f"{suspects}\nlimit 1"):
        return set()
    inputs = {"ranked": ranked, "suspected_repeats": suspects}
    repeated = loading_sql(warehouse, "repeated_documents", inputs)
    return set(
        warehouse.rows(f"""
            select run_id, topic, document from ({repeated})
            join topics using (topic_id) join documents using (document_id)
        """)
    )


def store(warehouse: Warehouse, runs: Sequence[NewRun], options: RunOptions, *, with_repeated: bool) -> None:
    """Complete the base tables with what of the ranked rows is to be kept."""
    if not _are_kept_whole(options):
        _keep(warehouse, options, with_repeated=with_repeated)
    keys.insert(warehouse, "run_topics", loading_sql(warehouse, "new_run_topics", {"staged_files": _owners(runs)}))
    if with_repeated:
        warehouse.execute(f"""
            update runs set duplicates = (
                select count(*) - count(distinct (topic_id, document_id))
                from all_ranks where all_ranks.run_id = runs.run_id
            )
            where run_id in ({_listed(runs)})
        """)
    warehouse.execute("drop table if exists all_ranks")
    warehouse.execute("drop table marked_rows; drop table staged_lists; drop table resolved_ranks")
    keys.forget_names(warehouse)


def _are_kept_whole(options: RunOptions) -> bool:
    return not (options.keep_best or options.depth or options.judged_by)


def _keep(warehouse: Warehouse, options: RunOptions, *, with_repeated: bool) -> None:
    ranked = "select * from all_ranks"
    if with_repeated:
        ranked = loading_sql(warehouse, "best_ranked", {"ranked": ranked})
    if options.depth or options.judged_by:
        judged_by = dict(warehouse.rows("select qrels, qrels_id from qrels")).get(options.judged_by)
        ranked = loading_sql(warehouse, "kept_ranks", {"ranked": ranked}, depth=options.depth, judged_by=judged_by)
    _retain(warehouse, ranked)


def _retain(warehouse: Warehouse, ranked: str) -> None:
    keys.insert(warehouse, "retrieved", loading_sql(warehouse, "new_retrieved", {"ranked": ranked}))


def _compared(warehouse: Warehouse, staged: str, options: RunOptions) -> dict[str, str]:
    rows = loading_sql(
        warehouse,
        "compared_rows",
        {"staged": staged},
        tie_rule=options.tie_rule,
        lower_is_better=options.lower_is_better,
    )
    return {"compared_rows": rows}


def _parts(warehouse: Warehouse) -> list[str]:
    """Conditions that part the staged rows, one for each thread, for the engine goes through a part in one thread.

    A topic that a boundary cuts counts as out of order.
    """
    ((first, last, threads),) = warehouse.rows(
        "select coalesce(min(rowid), 0), coalesce(max(rowid), 0), current_setting('threads') from staged_run_rows"
    )
    size = max((last - first) // threads + 1, PART_ROWS)
    return [f"rowid between {start} and {start + size - 1}" for start in range(first, last + 1, size)]


def _check_whole(warehouse: Warehouse, ranked: str) -> None:
    ((staged, kept),) = warehouse.rows(f"select (select count(*) from staged_run_rows), count(*) from ({ranked})")
    if staged != kept:
        raise QueryError(f"{staged} rows were read and {kept} ranked")


def _create(warehouse: Warehouse, name: str, rows: str) -> None:
    warehouse.execute(f"create or replace temp table {name} as\n{rows}")


def _listed(runs: Sequence[NewRun]) -> str:
    return ", ".join(str(run.run_id) for run in runs)


def _owners(runs: Sequence[NewRun]) -> str:
    owners = ", ".join(f"({file_id}, {run.run_id})" for run in runs for file_id in run.file_ids)
    return f"select * from (values {owners}) as files(file_id, owner_id)"


def _add_runs(warehouse: Warehouse, runs: Sequence[NewRun], options: RunOptions) -> None:
    notes = [run.notes for run in runs]
    warehouse.execute(
        """
        insert into runs (
            run_id, run, tag, num_tags, comments,
            tie_rule, lower_is_better, duplicates, depth, judged_by, meta, loaded_at, evalsql_version
        )
        select
            unnest(?::integer[]), unnest(?::varchar[]), unnest(?::varchar[]),
            unnest(?::integer[]), unnest(?::varchar[]),
            ?, ?, 0, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?
        """,
        (
            *([run.run_id for run in runs], [run.name for run in runs], [note.last_tag for note in notes]),
            *([run.num_tags for run in runs], ["\n".join(note.comments) for note in notes]),
            *(options.tie_rule, options.lower_is_better, options.depth, options.judged_by),
            *(list(options.meta), list(options.meta.values()), warehouse.program_version),
        ),
    )
