"""What every kind of input shares: staged rows, keys for names, pairs of judgments and runs to evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import bound, with_inputs
from evalsql.catalog.names import literal
from evalsql.catalog.parameters import Value
from evalsql.errors import MOST_LISTED, InputError, Problem

if TYPE_CHECKING:
    from evalsql.warehouse.warehouse import Warehouse

ROWS_TOGETHER = 6_000_000  # retrieved documents whose judged ones are ranked at once


@dataclass
class Refused:
    """Problems found so far: the first ones whole, all of them counted."""

    problems: list[Problem] = field(default_factory=list)
    count: int = 0

    def __call__(self, problem: Problem) -> None:
        self.count += 1
        if len(self.problems) < MOST_LISTED:
            self.problems.append(problem)

    def __bool__(self) -> bool:
        return self.count > 0

    def check(self) -> None:
        """Raise InputError if anything was refused."""
        if self:
            raise InputError(self.problems, self.count)


def loading_sql(warehouse: Warehouse, name: str, inputs: Mapping[str, str], **arguments: Value) -> str:
    """The SELECT of ``sql/loading/<name>.sql`` over the given inputs."""
    relation = warehouse.catalog[name]
    body = bound(warehouse.catalog, relation, {key: literal(value) for key, value in arguments.items()})
    return with_inputs(body, inputs) if inputs else body


def insert(warehouse: Warehouse, table: str, sql: str) -> None:
    warehouse.execute(f"insert into {table} by name\n{sql}")


def add_names(warehouse: Warehouse, staged: str) -> None:
    """Give keys to the topics and documents of the staged rows that have none.

    What there is of both is in the temporary tables ``staged_topics`` and ``document_ids`` then.
    """
    topics = loading_sql(warehouse, "staged_topics", {"staged": staged})
    warehouse.execute(f"create or replace temp table staged_topics as\n{topics}")
    insert(warehouse, "topics", loading_sql(warehouse, "new_topics", {}))
    named = loading_sql(warehouse, "document_ids", {"staged": staged})
    warehouse.execute(f"create or replace temp table document_ids as\n{named}")
    insert(warehouse, "documents", "select document_id, document from document_ids where is_new")


def forget_names(warehouse: Warehouse) -> None:
    """Drop the temporary tables that ``add_names`` left."""
    warehouse.execute("drop table staged_topics; drop table document_ids")


def next_id(warehouse: Warehouse, table: str, key: str) -> int:
    ((greatest,),) = warehouse.rows(f"select coalesce(max({key}), 0) from {table}")
    return int(greatest) + 1


def pair(warehouse: Warehouse, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Prepare what measures stand on for new pairs of (qrels_id, run_id), given in that order.

    Args:
        retrieved: a SELECT of the runs' rows as the base table has them, where they are not in it.
    """
    if pairs:
        insert(warehouse, "evaluations", loading_sql(warehouse, "new_evaluations", {"new_pairs": _listed(pairs)}))
        rank_judged(warehouse, pairs, retrieved)


def rank_judged(warehouse: Warehouse, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Fill ``judged_ranks`` for pairs in the order of their evaluations, some at a time, so that memory is bounded."""
    sizes = dict(warehouse.rows("select run_id, sum(num_ret) from run_topics group by run_id"))
    rows = {"retrieved": retrieved} if retrieved else {}
    some: list[tuple[int, int]] = []
    num_rows = 0
    for at, (qrels_id, run_id) in enumerate(pairs, start=1):
        some.append((qrels_id, run_id))
        num_rows += sizes.get(run_id, 0)
        if num_rows >= ROWS_TOGETHER or at == len(pairs):
            ranks = loading_sql(warehouse, "judged_ranks_rows", {"new_pairs": _listed(some)} | rows)
            insert(warehouse, "judged_ranks", ranks)
            some, num_rows = [], 0


def _listed(pairs: Iterable[tuple[int, int]]) -> str:
    listed = ", ".join(f"({qrels_id}, {run_id})" for qrels_id, run_id in pairs)
    return f"select * from (values {listed}) as pairs(qrels_id, run_id)"


def add_file_row(warehouse: Warehouse, row: tuple[object, ...]) -> None:
    """A row of the table ``files``: kind, id, file, sha256, bytes, num_rows."""
    add_file_rows(warehouse, [row])


def add_file_rows(warehouse: Warehouse, rows: Sequence[tuple[object, ...]]) -> None:
    """Several of them."""
    if rows:
        warehouse.execute(
            """
            insert into files
            select
                unnest(?::varchar[]), unnest(?::integer[]), unnest(?::varchar[]),
                unnest(?::varchar[]), unnest(?::bigint[]), unnest(?::bigint[])
            """,
            [list(column) for column in zip(*rows, strict=True)],
        )
