"""``--sort`` and ``--limit``: in which order rows come, and how many."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from evalsql.report.table import Table

if TYPE_CHECKING:
    from evalsql.warehouse.warehouse import Warehouse


@dataclass(frozen=True)
class Arrangement:
    """Which rows come first, and how many come."""

    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            metavar="COLUMN",
            help="Sort by this column, the greatest number or the first name on top; COLUMN:asc and COLUMN:desc say "
            "otherwise.",
        ),
    ] = None
    limit: Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N rows.")] = None

    def sorted_query(self, warehouse: Warehouse, query: str, lower: Collection[str] = ()) -> str:
        """The SELECT in the order that is asked for; see ``evaluation.arranging``."""
        if self.sort is None:
            return query
        from evalsql.evaluation.sorted_rows import arranged

        return arranged(warehouse.database, query, sort=self.sort, limit=None, lower=lower)

    def first_rows(self, table: Table) -> Table:
        """The table with so many rows."""
        return table if self.limit is None else table._replace(rows=table.rows[: self.limit])
