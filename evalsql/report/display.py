"""What shows itself in a notebook, and goes into files from there: rows, charts and reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.database.disk import whole_file
from evalsql.database.engine_errors import translated_errors
from evalsql.errors import EvalsqlError
from evalsql.evaluation.explanation import Explanation
from evalsql.evaluation.gate_decision import COLUMNS, Decision
from evalsql.report import html
from evalsql.report.comparison import INTERVAL, OUTCOMES, Comparison, difference_columns, verdict
from evalsql.report.page.html_page import report_text
from evalsql.report.page.report_data import ALPHA, ReportData
from evalsql.report.page.report_formats import EXTENSIONS
from evalsql.report.table import BETTER, CORRECTED, WORSE, Table
from evalsql.report.terminal import aligned_lines, one_line, printable
from evalsql.report.writers import known_extension

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as _Relation

    from evalsql.warehouse.warehouse import Warehouse
else:
    _Relation = object


_FIRST = 2  # the column of a leaderboard's first measure
DIGITS = 4
_WHOLE = 100  # percent
_COMPARED = ("qrels", "measure", "baseline", "run", "mean", "difference", INTERVAL, CORRECTED, OUTCOMES, "note")
MOST_ROWS = 200
_MORE = "The first {} rows are shown; .df(), .pl() and .fetchall() give all."

Decorate = Callable[..., Table]  # a table and the number of decimals


def leaderboard_table(
    table: Table,
    digits: int,
    *,
    warehouse: Warehouse,
    lower: Collection[str],
    compared: Sequence[Comparison],
    query: str | None,
) -> Table:
    """Means with a bar beside the first measure; the best of all are bold, and significant differences are marked.

    ``lower`` are measures where less is better; ``query`` is the SELECT of all rows, where the table lacks some.
    """
    marks: dict[tuple[object, ...], str] = {
        (one.qrels, pair["run"], pair["measure"]): verdict(pair, one.alpha, one.lower)
        for one in compared
        for pair in one.pairs
    }
    every = table if query is None else Table(*warehouse.database.table(query), table.counts)
    best = {(*every.rows[nth][:_FIRST], every.columns[at]) for nth, at in every.with_best(lower, digits).best}
    cells = {
        (nth, at): (*row[:_FIRST], table.columns[at])
        for nth, row in enumerate(table.rows)
        for at in range(_FIRST, len(table.columns))
    }
    board = table._replace(
        best=frozenset(place for place, key in cells.items() if key in best),
        marks={place: mark for place, key in cells.items() if (mark := marks.get(key))},
    )
    bars = [html.bar(length) for length in bar_lengths(warehouse, table.rows, _WHOLE)]
    return board.with_column(_FIRST + 1, "", bars).without_constants(("qrels",), digits)


def bar_lengths(warehouse: Warehouse, rows: Sequence[Sequence[Any]], longest: int) -> list[int]:
    """How long the bar of each mean is beside those of its judgment set; rows begin with judgment set, run and mean."""
    board = "select unnest(?::varchar[]) as qrels, unnest(?::varchar[]) as run, unnest(?::double[]) as value"
    query = warehouse.database.query("bar_lengths", {"board": board}, longest=longest)
    found = warehouse.rows(query, [[row[at] for row in rows] for at in range(3)])
    lengths = {(qrels, run): length for qrels, run, length in found}
    return [lengths[row[0], row[1]] for row in rows]


def rows_table(table: Table, digits: int) -> Table:
    """Rows as they are, but for a judgment set and a measure that are the same in all of them."""
    return table.without_constants(("qrels", "measure"), digits)


def wide_table(table: Table, digits: int, *, lower: Collection[str]) -> Table:
    """Topics with a column a run, the best of each topic in bold where runs differ."""
    first, measure = table.columns.index("topic") + 1, table.columns.index("measure")
    best: set[tuple[int, int]] = set()
    for nth, row in enumerate(table.rows):
        if len({*row[first:]} - {None}) > 1:
            cells = [(nth, at) for at in range(first, len(row))]
            best |= table.best_cells(cells, digits, is_lower=row[measure] in lower)
    return rows_table(table._replace(best=frozenset(best)), digits)


def board_table(table: Table, digits: int, *, collections: Sequence[str], lower: Collection[str]) -> Table:
    """Places with their intervals, systems, means, and the best on each collection in bold; a rule below each group."""
    rows = table.picked("place", "place_low", "place_high")
    size = max((len(str(place)) for place, *_ in rows), default=0)
    places = [f"{place:>{size}}" + (f" ({low}-{high})" if low else "") for place, low, high in rows]
    groups, systems = table.values("place_group"), table.values("system")
    several_versions = len({*systems}) < len(systems)
    shown = ["system", "version", *collections, "mean"] if several_versions else ["system", *collections, "mean"]
    if len({*table.values("num_collections")}) > 1:  # means are over different collections
        shown.append("num_collections")
    brief = table.with_columns([list(table.columns).index(name) for name in shown])
    brief = brief.with_best(lower, digits, first=shown.index(collections[0]), by=0)
    figures = frozenset(cell for cell in brief.best if shown[cell[1]] != "num_collections")  # more is not better
    brief = brief._replace(best=figures).with_column(0, "place", places)
    in_order = None not in groups and groups == sorted(groups)
    rules = frozenset(nth for nth, pair in enumerate(pairwise(groups)) if in_order and pair[0] != pair[1])
    return brief._replace(whole=frozenset({"place"}), rules=rules)


def pairs_table(table: Table, digits: int, *, collections: Sequence[str], lower: Collection[str]) -> Table:
    """Differences over collections with their intervals in one column, the significant ones marked."""
    brief = table.without(*(at for at, name in enumerate(table.columns) if name in ("version", "separated")))
    measures = {*table.values("measure")} if "mean" in lower else set()
    brief = difference_columns(brief, digits, ALPHA, measures)._replace(label="tab:board")
    return brief.without_constants(("measure", "baseline"), digits)


def comparison_table(table: Table, digits: int, *, alpha: float, lower: Collection[str]) -> Table:
    """Differences with their intervals, drawn and in figures; significant ones in bold and marked."""
    values = table.picked("difference", "low", "high")
    ends = [0, *(value for row in values for value in row if value is not None)]
    brief = difference_columns(table, digits, alpha, lower, between=" to ")
    brief = brief.with_columns([brief.columns.index(name) for name in _COMPARED if name in brief.columns])
    at = brief.columns.index("difference")
    span = min(ends), max(ends)
    pictures = [
        html.interval(value, low, high, span, is_sure=(nth, at) in brief.marks)
        for nth, (value, low, high) in enumerate(values)
    ]
    words = {BETTER: "better", WORSE: "worse"}
    shown = [mark for mark in words if mark in brief.marks.values()]
    legend = ", ".join(f"{mark} significantly {words[mark]} than the baseline" for mark in shown)
    mean = brief.columns.index("mean")
    marks = {(nth, mean): mark for (nth, _), mark in brief.marks.items()}
    brief = brief._replace(best=frozenset(brief.marks), marks=marks, notices=[legend] if legend else [])
    return brief.with_column(at + 1, "", pictures).without_constants(("qrels", "measure", "baseline", "note"), digits)


def explanation_table(table: Table, digits: int) -> Table:
    at = table.columns.index("difference" if "difference" in table.columns else "contribution")
    values: list[Any] = [row[at] or 0 for row in table.rows]
    longest = max(map(abs, values), default=0) or 1
    bars = [html.bar(round(_WHOLE * max(value, 0) / longest)) for value in values]
    return table.with_column(at + 1, "", bars)


class Shown(_Relation):
    """Rows that show themselves in a notebook, with notes; in all else a DuckDB relation, to which everything goes."""

    def __init__(
        self,
        relation: Any,
        decorate: Decorate,
        digits: int,
        notes: Sequence[str] = (),
        *,
        counts: frozenset[str] = frozenset(),
        path: str = "the warehouse",
    ) -> None:
        self.relation, self.notes = relation, list(notes)
        self._decorate, self._digits, self._counts, self._path = decorate, digits, counts, path
        self._table: Table | None = None

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
            table = self._decorated()
        except EvalsqlError as error:
            return printable(f"<rows that cannot be shown: {error}>")
        return _text(table, self._digits)

    def _repr_html_(self) -> str:
        return html.in_notebook(self._decorated(), self._digits)

    def _decorated(self) -> Table:
        """What is shown; it is asked once, so that showing it again costs nothing."""
        if self._table is None:
            with translated_errors(self._path):
                rows = self.relation.limit(MOST_ROWS + 1).fetchall()
                table = self._decorate(Table(list(self.relation.columns), rows[:MOST_ROWS], self._counts), self._digits)
            more = [_MORE.format(MOST_ROWS)] if len(rows) > MOST_ROWS else []
            self._table = table._replace(notices=[*more, *table.notices, *self.notes])
        return self._table


def _text(table: Table, digits: int) -> str:
    lines = [*map(str.rstrip, aligned_lines(table, digits)), *map(one_line, table.notices)]
    return "\n".join([one_line(table.caption), *lines] if table.caption else lines)


class ShownDecision(Decision):
    """What rules say of a run, as ``Decision``; its verdicts show themselves."""

    def _table(self) -> Table:
        return Table(COLUMNS, [each.row for each in self.verdicts], caption=self.summary, notices=self.notes)

    def __repr__(self) -> str:
        return _text(self._table(), DIGITS)

    def _repr_html_(self) -> str:
        return html.in_notebook(self._table(), DIGITS)


class ShownExplanation(Explanation):
    """An explanation whose rows show themselves, and are a DuckDB relation, to which all other names go."""

    def __repr__(self) -> str:
        return one_line(super().__repr__())

    def _repr_html_(self) -> str:
        shown: Any = self.rows
        return str(shown._repr_html_())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.rows, name)


_HEIGHT = 720  # pixels of a report within a notebook
_MOST_BYTES = 8_000_000  # of a page that a notebook's file takes in


class Report:
    """A report of systems on one judgment set; a notebook shows its page, which needs no network."""

    def __init__(self, gather: Callable[..., ReportData], digits: int | None = None) -> None:
        self._gather = gather
        self._digits = digits
        found = gather(for_page=True)
        self._name = f"{found.heading}, {len(found.runs):,} runs"
        self.page = report_text(found, ".html", digits)

    def save(self, path: str | Path) -> None:
        """Write the report to a file, which is replaced: a page (.html), .md, .tex or .json; else raises UsageError."""
        extension = known_extension(Path(path), EXTENSIONS, "a report is written")
        text = self.page if extension == ".html" else report_text(self._gather(), extension, self._digits)
        with whole_file(Path(path)) as stream:
            stream.write(text.encode())

    def __repr__(self) -> str:
        return one_line(f"<report: {self._name}; .save(FILE) writes it>")

    def _repr_html_(self) -> str:
        if len(self.page) > _MOST_BYTES:
            return f"<p>{html.text(repr(self))}</p>"
        # In a frame, style and scripts reach nothing of the notebook; without a base, links would be the notebook's.
        framed = self.page.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            f'<iframe srcdoc="{html.text(framed)}" sandbox="allow-scripts allow-popups" title="report" '
            f'style="width:100%;height:{_HEIGHT}px;border:1px solid rgba(128,128,128,.4)"></iframe>'
        )
