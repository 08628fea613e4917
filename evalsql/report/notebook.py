"""How leaderboards, topics, comparisons and explanations look in a notebook: best in bold, marks, bars, few digits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.database.database import translated_errors
from evalsql.errors import EvalsqlError
from evalsql.evaluation.explanation import Explanation
from evalsql.evaluation.notices import VALUES, explanation_lines
from evalsql.report.comparison import BETTER, WORSE, Comparison
from evalsql.report.html import Cell, Column, Grid, as_html, as_text
from evalsql.report.markup import with_best
from evalsql.report.page.figures import number
from evalsql.report.table import CORRECTED, Table

if TYPE_CHECKING:
    from evalsql.warehouse.warehouse import Warehouse
if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as _Relation
else:
    _Relation = object


_QRELS, _RUN, _FIRST = 0, 1, 2  # columns of a leaderboard
_WHOLE = 100  # percent
_TEXTS = ("text",)
_WIDTH, _HEIGHT, _MARGIN = 140, 14, 4  # pixels of the picture of an interval
_SURE, _UNSURE = "#2a7f9e", "#888"

Marks = Mapping[tuple[str, str, str], str]
Best = Mapping[tuple[str, str], str]


def leaderboard_grid(table: Table, warehouse: Warehouse, best: Best, digits: int, marks: Marks | None = None) -> Grid:
    """Means with a bar beside the first measure, and the best of each measure in bold.

    ``best`` gives its text by judgment set and measure; ``marks`` stand behind means, by these and the run.
    """
    bold = {
        (nth, at)
        for nth, row in enumerate(table.rows)
        for at in range(_FIRST, len(row))
        if best.get((str(row[_QRELS]), table.columns[at])) == table.text(row, at, digits)
    }
    lengths = bar_lengths(warehouse, table)
    columns = _columns(table)
    rows = [
        [
            Cell(
                table.text(row, at, digits),
                (nth, at) in bold,
                (marks or {}).get((str(row[_QRELS]), str(row[_RUN]), table.columns[at]), ""),
            )
            for at in range(len(row))
        ]
        for nth, row in enumerate(table.rows)
    ]
    bars = [Cell(bar=lengths.get((row[_QRELS], row[_RUN]), 0)) for row in table.rows]
    grid = _with_column(Grid(columns, rows), _FIRST + 1, Column("", is_picture=True), bars)
    return _without_constant(grid, "qrels")


def best_texts(table: Table, lower: Collection[str], digits: int) -> dict[tuple[str, str], str]:
    """By judgment set and measure how the best mean of a whole leaderboard reads, where there are several runs."""
    return {
        (str(table.rows[nth][_QRELS]), table.columns[at]): table.text(table.rows[nth], at, digits)
        for nth, at in with_best(table, lower, digits).bold
    }


def bar_lengths(warehouse: Warehouse, table: Table) -> dict[tuple[object, ...], int]:
    """By judgment set and run how long its bar is, in percent of the longest."""
    board = "select unnest(?::varchar[]) as qrels, unnest(?::varchar[]) as run, unnest(?::double[]) as value"
    lengths = relation_query(warehouse.catalog, "bar_lengths", {"board": board}, longest=_WHOLE)
    columns = [[row[at] for row in table.rows] for at in (_QRELS, _RUN, _FIRST)]
    return {(qrels, run): length for qrels, run, length in warehouse.rows(lengths, columns)}


def rows_grid(table: Table, digits: int) -> Grid:
    """Rows as they are, but for a judgment set and a measure that are the same in all of them."""
    cells = [[Cell(table.text(row, at, digits)) for at in range(len(row))] for row in table.rows]
    grid = Grid(_columns(table), cells)
    return _without_constant(_without_constant(grid, "qrels"), "measure")


def wide_grid(table: Table, lower: Collection[str], digits: int) -> Grid:
    """Topics with a column a run, the best of each topic in bold where runs differ."""
    first = table.columns.index("topic") + 1
    cells = []
    for row in table.rows:
        texts = [table.text(row, at, digits) for at in range(len(row))]
        known: list[Any] = [value for value in row[first:] if value is not None]
        choose = min if row[table.columns.index("measure")] in lower else max
        best = {at for at in range(first, len(row)) if known and row[at] == choose(known)}
        differ = len(set(known)) > 1
        cells.append([Cell(text, differ and at in best) for at, text in enumerate(texts)])
    return _without_constant(_without_constant(Grid(_columns(table), cells), "qrels"), "measure")


def comparison_grid(table: Table, alpha: float, lower: Collection[str], digits: int) -> Grid:
    """Differences with their intervals, drawn and in figures; significant ones in bold, with the marks of a paper."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    ends: list[Any] = [0, *(row[name] or 0 for row in rows for name in ("low", "high", "difference"))]
    span = min(ends), max(ends)
    columns = [
        *(Column(name) for name in ("qrels", "measure", "baseline", "run")),
        *(Column(name, is_number=True) for name in ("mean", "difference")),
        Column("", is_picture=True),
        *(Column(name, is_number=True) for name in ("interval", CORRECTED, "W-T-L")),
        Column("note"),
    ]
    cells: list[list[Cell]] = []
    for row, values in zip(rows, table.rows, strict=True):
        shown = {
            name: table.text(values, at, digits) if name.startswith("p") else _plain(row[name], digits)
            for at, name in enumerate(table.columns)
        }
        mark = _mark(row, alpha, lower)
        interval = f"{shown['low']} to {shown['high']}" if row["low"] is not None else ""
        won = "-".join(str(row[name]) for name in ("wins", "ties", "losses"))
        cells.append(
            [
                *(Cell(shown[name]) for name in ("qrels", "measure", "baseline", "run")),
                Cell(shown["mean"], mark=mark),
                Cell(shown["difference"], bool(mark)),
                Cell(picture=_interval(row, span, bool(mark))),
                *(Cell(text) for text in (interval, shown["p_corrected"], won, shown["note"] or "")),
            ]
        )
    grid = Grid(columns, cells)
    for name in ("qrels", "measure", "baseline", "note"):
        grid = _without_constant(grid, name)
    return grid._replace(notes=_legend(rows, alpha, lower))


def explanation_grid(table: Table, digits: int) -> Grid:
    """What documents contribute, with a bar for each contribution."""
    at = table.columns.index("difference" if "difference" in table.columns else "contribution")
    values: list[Any] = [row[at] or 0 for row in table.rows]
    longest = max(map(abs, values), default=0)
    cells = [[Cell(table.text(row, place, digits)) for place in range(len(row))] for row in table.rows]
    bars = [Cell(bar=round(_WHOLE * max(value, 0) / longest) if longest else 0) for value in values]
    return _with_column(Grid(_columns(table), cells), at + 1, Column("", is_picture=True), bars)


def marks_beside(compared: Sequence[Comparison]) -> dict[tuple[str, str, str], str]:
    """By judgment set, run and measure what is significantly better or worse than the baseline."""
    return {
        (one.qrels, str(pair["run"]), str(pair["measure"])): mark
        for one in compared
        for pair in one.pairs
        if (mark := _mark(pair, one.alpha, one.lower))
    }


def _mark(pair: Mapping[str, Any], alpha: float, lower: Collection[str]) -> str:
    if pair["p_corrected"] is None or not pair["p_corrected"] < alpha or not pair["difference"]:
        return ""
    return BETTER if (pair["difference"] > 0) != (pair["measure"] in lower) else WORSE


def explained_marks(compared: Sequence[Comparison]) -> list[str]:
    """A line for each judgment set that says what marks mean and how that was tested."""
    return [
        f"{one.qrels}: {BETTER} significantly better than {one.baseline}, {WORSE} significantly worse; {one.how}"
        for one in compared
    ]


def _legend(rows: Sequence[Mapping[str, Any]], alpha: float, lower: Collection[str]) -> list[str]:
    found = {_mark(row, alpha, lower) for row in rows}
    words = {BETTER: "better", WORSE: "worse"}
    told = [f"{mark} significantly {word} than the baseline" for mark, word in words.items() if mark in found]
    return [", ".join(told)] if told else []


def _interval(row: Mapping[str, Any], span: tuple[float, float], is_sure: bool) -> str:
    """The difference and its interval beside a line at 0, drawn on a scale that all rows share."""
    least, greatest = span
    if least == greatest or row["difference"] is None:
        return ""

    def x(value: float) -> str:
        return f"{_MARGIN + (_WIDTH - 2 * _MARGIN) * (value - least) / (greatest - least):.1f}"

    middle, colour = _HEIGHT / 2, _SURE if is_sure else _UNSURE
    ends = ""
    if row["low"] is not None:
        low, high = x(row["low"]), x(row["high"])
        ends = f'<line x1="{low}" x2="{high}" y1="{middle}" y2="{middle}" stroke="{colour}" stroke-width="2"/>'
    told = f"difference {number(row['difference'], 4)}"
    return (
        # Pages of notebooks make pictures as narrow as their cells, which cuts off what stands beside them.
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width:{_WIDTH}px;height:{_HEIGHT}px;max-width:none" role="img" '
        f'aria-label="{told}">'
        f'<line x1="{x(0)}" x2="{x(0)}" y1="0" y2="{_HEIGHT}" stroke="currentColor" stroke-opacity=".6"/>'
        f'{ends}<circle cx="{x(row["difference"])}" cy="{middle}" r="3.5" fill="{colour}"/></svg>'
    )


def _plain(value: object, digits: int) -> str:
    if value is None:
        return ""
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def _columns(table: Table) -> list[Column]:
    return [
        Column(name, is_number=table.is_number(at), is_long=name in _TEXTS) for at, name in enumerate(table.columns)
    ]


def _with_column(grid: Grid, at: int, column: Column, cells: Sequence[Cell]) -> Grid:
    rows = [[*row[:at], cell, *row[at:]] for row, cell in zip(grid.rows, cells, strict=True)]
    return grid._replace(columns=[*grid.columns[:at], column, *grid.columns[at:]], rows=rows)


def _without_constant(grid: Grid, name: str) -> Grid:
    """The grid without a column that has one text in every row, which stands in the caption then."""
    names = [column.name for column in grid.columns]
    texts = {row[names.index(name)].text for row in grid.rows} if name in names else set()
    if len(texts) != 1:
        return grid
    at = names.index(name)
    caption = ", ".join(filter(None, [grid.caption, f"{name} {text}" if (text := texts.pop()) else ""]))
    rows = [[*row[:at], *row[at + 1 :]] for row in grid.rows]
    return grid._replace(columns=[*grid.columns[:at], *grid.columns[at + 1 :]], rows=rows, caption=caption)


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


class ShownExplanation(Explanation):
    """An explanation whose rows show themselves, and are a DuckDB relation, to which all other names go."""

    def _repr_html_(self) -> str:
        shown: Any = self.rows
        return str(shown._repr_html_())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.rows, name)


def shown_explanation(found: Explanation, depth: int, digits: int, text: str | None) -> ShownExplanation:
    """The explanation with rows that show themselves, and below them what its command says.

    Args:
        text: what the topic asks, where that is known.
    """
    lines = explanation_lines(found, depth, digits, "depth=")
    counts = VALUES if found.measure.is_count else frozenset()
    notes = [*lines, *([f"the topic asks: {text}"] if text else [])]
    rows = Shown(found.rows, partial(explanation_grid, digits=digits), notes, counts=counts)
    return ShownExplanation(*found)._replace(rows=rows)
