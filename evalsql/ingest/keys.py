"""What every kind of input shares: staged rows, keys for names, pairs of judgments and runs to evaluate."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import InputWarning
from evalsql.words import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

IN_MEMORY = "in memory"  # where rows come from that are in no file
ROWS_TOGETHER = 6_000_000  # retrieved documents whose judged ones are ranked at once


def add_names(database: Database, staged: str) -> None:
    """Give keys to the topics and documents of the staged rows that have none.

    What there is of both is in the temporary tables ``staged_topics`` and ``document_ids`` then.
    """
    topics = relation_query(database.catalog, "staged_topics", {"staged": staged})
    database.execute(f"create or replace temp table staged_topics as\n{topics}")
    database.insert("topics", relation_query(database.catalog, "new_topics", {}))
    named = relation_query(database.catalog, "document_ids", {"staged": staged})
    database.execute(f"create or replace temp table document_ids as\n{named}")
    database.insert("documents", "select document_id, document from document_ids where is_new")


def forget_names(database: Database) -> None:
    """Drop the temporary tables that ``add_names`` left."""
    database.execute("drop table staged_topics; drop table document_ids")


def next_id(database: Database, table: str, key: str) -> int:
    ((greatest,),) = database.rows(f"select coalesce(max({key}), 0) from {table}")
    return int(greatest) + 1


def pair(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Prepare what measures stand on for new pairs of (qrels_id, run_id), given in that order.

    Args:
        retrieved: a SELECT of the runs' rows as the base table has them, where they are not in it.
    """
    pairs = _with_rankings(database, pairs)
    if pairs:
        database.insert(
            "evaluations", relation_query(database.catalog, "new_evaluations", {"new_pairs": pairs_query(pairs)})
        )
        rank_judged(database, pairs, retrieved)


def _with_rankings(database: Database, pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The pairs without runs of which only scores are stored: an empty ranking would take their place."""
    stored = {run_id for (run_id,) in database.rows("select distinct run_id from stored_scores")} if pairs else set()
    if left_out := {run_id for _, run_id in pairs} & stored:
        text = f"{counted(len(left_out), 'run')} left out: only scores are stored, and to evaluate takes rankings"
        warnings.warn(text, InputWarning, stacklevel=3)
    return [pair for pair in pairs if pair[1] not in left_out]


def rank_judged(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Fill ``judged_ranks`` for pairs in the order of their evaluations, some at a time, so that memory is bounded."""
    sizes = dict(database.rows("select run_id, sum(num_ret) from run_topics group by run_id"))
    rows = {"retrieved": retrieved} if retrieved else {}
    some: list[tuple[int, int]] = []
    num_rows = 0
    for at, (qrels_id, run_id) in enumerate(pairs, start=1):
        some.append((qrels_id, run_id))
        num_rows += sizes.get(run_id, 0)
        if num_rows >= ROWS_TOGETHER or at == len(pairs):
            ranks = relation_query(database.catalog, "judged_ranks_rows", {"new_pairs": pairs_query(some)} | rows)
            database.insert("judged_ranks", ranks)
            some, num_rows = [], 0


def pairs_query(pairs: Iterable[tuple[int, int]]) -> str:
    """A SELECT of pairs of qrels_id and run_id."""
    values = ", ".join(f"({int(qrels_id)}, {int(run_id)})" for qrels_id, run_id in pairs)
    return f"select * from (values {values}) as pairs(qrels_id, run_id)"


def add_file_row(database: Database, row: tuple[object, ...]) -> None:
    """A row of the table ``files``: kind, id, file, sha256, bytes, num_rows."""
    add_file_rows(database, [row])


def add_file_rows(database: Database, rows: Sequence[tuple[object, ...]]) -> None:
    """Several of them."""
    if rows:
        database.execute(
            """
            insert into files
            select
                unnest(?::varchar[]), unnest(?::integer[]), unnest(?::varchar[]),
                unnest(?::varchar[]), unnest(?::bigint[]), unnest(?::bigint[])
            """,
            [list(column) for column in zip(*rows, strict=True)],
        )
