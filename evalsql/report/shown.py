"""Results that show themselves: DuckDB relations with an HTML table for notebooks and a text for all else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evalsql.database.database import translated_errors
from evalsql.errors import EvalsqlError
from evalsql.report.grid import Grid, as_html, as_text
from evalsql.report.table import Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as _Relation
else:
    _Relation = object

MOST_ROWS = 200
_MORE = "The first {} rows are shown; .df(), .pl() and .fetchall() give all."

Draw = Callable[[Table], Grid]


class Shown(_Relation):
    """Rows that show themselves in a notebook. In all else they are a DuckDB relation, to which everything goes.

    Attributes:
        relation: the DuckDB relation.
        notes: what is to be said beside the rows, such as topics that a run misses.
    """

    def __init__(
        self,
        relation: Any,
        draw: Draw,
        notes: Sequence[str] = (),
        *,
        counts: frozenset[str] = frozenset(),
        path: str = "the warehouse",
    ) -> None:
        self.relation = relation
        self.notes = list(notes)
        self._draw = draw
        self._counts = counts
        self._path = path
        self._grid: Grid | None = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # Notebooks ask for many names that begin so; the relation's own way to show itself is not wanted here.
            if name.startswith("_") or name == "relation":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return getattr(self.relation, name)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """For polars, Arrow and DuckDB itself, which read the rows without copies."""
        return self.relation.__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        with translated_errors(self._path):
            return iter(self.relation.fetchall())

    def __len__(self) -> int:
        with translated_errors(self._path):
            return len(self.relation)

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.relation)})

    def __repr__(self) -> str:
        try:
            return as_text(self._drawn())
        except EvalsqlError as error:
            return f"<rows that cannot be shown: {error}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return as_html(self._drawn())

    def _drawn(self) -> Grid:
        """What is shown; it is asked once, so that showing it again costs nothing."""
        if self._grid is None:
            with translated_errors(self._path):
                rows = self.relation.limit(MOST_ROWS + 1).fetchall()
                table = Table(list(self.relation.columns), rows[:MOST_ROWS], self._counts)
            more = [_MORE.format(MOST_ROWS)] if len(rows) > MOST_ROWS else []
            grid = self._draw(table)
            self._grid = grid._replace(notes=[*more, *grid.notes, *self.notes])
        return self._grid
