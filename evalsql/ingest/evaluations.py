"""Pairs of a judgment set and a run that are evaluated, with the ranks of judged documents that measures read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.errors import warn
from evalsql.phrases import counted

if TYPE_CHECKING:
    from evalsql.database.database import Database

_ROWS_TOGETHER = 6_000_000  # retrieved documents whose judged ones are ranked at once


def add(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Add the evaluations of new pairs, and the ranks of their judged documents.

    Args:
        pairs: (qrels_id, run_id) each, in this order.
        retrieved: a SELECT of the runs' rows as the base table has them, where they are not in it.
    """
    pairs = _with_rankings(database, pairs)
    if pairs:
        database.insert(
            "evaluations", relation_query(database.catalog, "new_evaluations", {"new_pairs": pairs_query(pairs)})
        )
        rank_judged(database, pairs, retrieved)


def _with_rankings(database: Database, pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The pairs without runs of which only scores are stored: evaluated without rankings, they would get zeros."""
    stored = {run_id for (run_id,) in database.rows("select distinct run_id from stored_scores")} if pairs else set()
    if left_out := {run_id for _, run_id in pairs} & stored:
        text = f"{counted(len(left_out), 'run')} left out: only scores are stored, and to evaluate takes rankings"
        warn(text)
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
        if num_rows >= _ROWS_TOGETHER or at == len(pairs):
            ranks = relation_query(database.catalog, "judged_ranks_rows", {"new_pairs": pairs_query(some)} | rows)
            database.insert("judged_ranks", ranks)
            some, num_rows = [], 0


def pairs_query(pairs: Iterable[tuple[int, int]]) -> str:
    """A SELECT of pairs of qrels_id and run_id."""
    values = ", ".join(f"({int(qrels_id)}, {int(run_id)})" for qrels_id, run_id in pairs)
    return f"select * from (values {values}) as pairs(qrels_id, run_id)"
