"""Rows that every load adds to the base tables: keys of names, origins (``files``) and evaluated pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.database.disk import scratch_folder
from evalsql.errors import warn
from evalsql.ingest.files.source import Source, in_batches
from evalsql.phrases import counted
from evalsql.version import __version__

if TYPE_CHECKING:
    from evalsql.database.database import Database


def add_names(database: Database, staged: str) -> None:
    """Give keys to the topics and documents of the staged rows that have none.

    Afterwards the temporary tables ``staged_topics`` and ``document_ids`` have all that the rows name.

    Args:
        staged: a SELECT of the staged rows.
    """
    topics = relation_query(database.catalog, "staged_topics", {"staged": staged})
    database.execute(f"create or replace temp table staged_topics as\n{topics}")
    database.insert("topics", relation_query(database.catalog, "new_topics"))
    named = relation_query(database.catalog, "document_ids", {"staged": staged})
    database.execute(f"create or replace temp table document_ids as\n{named}")
    database.insert("documents", "select document_id, document from document_ids where is_new")


def forget_names(database: Database) -> None:
    """Drop the temporary tables that ``add_names`` left."""
    database.execute("drop table staged_topics; drop table document_ids")


def next_id(database: Database, table: str, key: str) -> int:
    """The least key above all that a table has."""
    ((following,),) = database.rows(f"select coalesce(max({key}), 0) + 1 from {table}")
    return int(following)


def insert_rows(
    database: Database, table: str, columns: Mapping[str, str], rows: Iterable[Iterable[object]], selected: str = "*"
) -> None:
    """Insert rows without tabs or line ends into a table, as many as there may be.

    Args:
        columns: SQL type by name.
        selected: what a SELECT of them takes.
    """
    listed = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in columns.items())
    with scratch_folder() as folder:
        path = Path(folder) / "rows.tsv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines("\t".join(map(str, row)) + "\n" for row in rows)
        database.execute(f"""
            insert into {table}
            select {selected} from read_csv(
                {literal(str(path))}, delim = '\t', header = false, auto_detect = false, quote = '', escape = '',
                columns = {{{listed}}}
            )
        """)


IN_MEMORY = "in memory"  # where rows come from that are in no file


FileRow = tuple[str, int, str, str | None, int | None, int]  # columns of the table files


def file_row(kind: str, key: int, source: Source | str, num_rows: int, sha256: str = "") -> FileRow:
    """What the table ``files`` says of a file, or of data that came from no file and has the origin ``source``.

    Args:
        key: of the run or the judgment set.
    """
    if isinstance(source, str):
        return kind, key, source, None, None, num_rows
    return kind, key, source.label, sha256 or source.sha256(), source.path.stat().st_size, num_rows


def add_file_rows(database: Database, *rows: FileRow) -> None:
    """Add rows to the table ``files``."""
    add_rows(database, "files", ("kind", "id", "file", "sha256", "bytes", "num_rows"), rows)


def add_rows(
    database: Database,
    table: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[object]],
    meta: Mapping[str, str] | None = None,
) -> None:
    """Add rows to a base table; with ``meta``, even if it is empty, and with the time and the version."""
    selected = [f"unnest(?) as {column}" for column in columns]
    values: list[object] = [list(column) for column in zip(*rows, strict=True)]
    if meta is not None:
        selected.append("map(?::varchar[], ?::varchar[]) as meta, ? as evalsql_version")
        selected.append("current_timestamp at time zone 'UTC' as loaded_at")
        values += [list(meta), list(meta.values()), __version__]
    if rows:
        database.execute(f"insert into {table} by name select {', '.join(selected)}", values)


_ROWS_TOGETHER = 6_000_000  # retrieved documents whose judged ones are ranked at once


def add_evaluations(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Add the evaluations of new pairs, and the ranks of their judged documents.

    Runs of which only scores are stored are left out: without rankings they would get zeros.

    Args:
        pairs: (qrels_id, run_id) each, in this order.
        retrieved: a SELECT of the runs' rows as the base table has them, where they are not in it.
    """
    if not pairs:
        return
    stored = {run_id for (run_id,) in database.rows("select distinct run_id from stored_scores")}
    if left_out := {run_id for _, run_id in pairs} & stored:
        warn(f"{counted(len(left_out), 'run')} left out: only scores are stored, and to evaluate takes rankings")
        pairs = [pair for pair in pairs if pair[1] not in left_out]
    if pairs:
        new = relation_query(database.catalog, "new_evaluations", {"new_pairs": pairs_query(pairs)})
        database.insert("evaluations", new)
        rank_judged(database, pairs, retrieved)


def rank_judged(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Fill ``judged_ranks`` for pairs in the order of their evaluations, some at a time, so that memory is bounded."""
    sizes = dict(database.rows("select run_id, sum(num_ret) from run_topics group by run_id")) if len(pairs) > 1 else {}
    rows = {"retrieved": retrieved} if retrieved else {}
    for some in in_batches(pairs, lambda pair: sizes.get(pair[1], 0), _ROWS_TOGETHER):
        ranks = relation_query(database.catalog, "judged_ranks_rows", {"new_pairs": pairs_query(some)} | rows)
        database.insert("judged_ranks", ranks)


def pairs_query(pairs: Iterable[tuple[int, int]]) -> str:
    """A SELECT of pairs of qrels_id and run_id."""
    values = ", ".join(f"({int(qrels_id)}, {int(run_id)})" for qrels_id, run_id in pairs)
    return f"select * from (values {values}) as pairs(qrels_id, run_id)"
