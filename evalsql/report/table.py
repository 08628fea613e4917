"""What every table is before it is written: columns and rows, what is best, better or worse, and how a value reads."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

BETTER, WORSE = "\u2020", "\u2021"  # marks of what is significantly better and worse than the baseline
CORRECTED = "corr. p"  # the heading of p_corrected where there is little room
_HUGE = 1e15  # beyond it a number has no decimals
_P_VALUES = ("p", "p_corrected", CORRECTED)
_SCORES = ("score", "threshold")  # E-values among them, which are small and not 0
# What is subtracted may differ from 0 by rounding alone.
_SUBTRACTED = ("difference", "low", "high", "contribution", "other_contribution", "spread")


class Picture(NamedTuple):
    """A cell that only HTML can show; all other formats leave its column out."""

    html: str


class Table(NamedTuple):
    """Columns and rows, with what stands out in them. Cells are named by the places of their row and column."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    counts: frozenset[str] = frozenset()  # measures whose values are whole, as columns or in a column "measure"
    whole: frozenset[str] = frozenset()  # columns of text that are not folded
    best: frozenset[tuple[int, int]] = frozenset()  # cells that are the best of their column
    marks: Mapping[tuple[int, int], str] = {}  # BETTER, WORSE, or labels of systems that are outdone, behind the value
    changes: Mapping[tuple[int, int], str] = {}  # change relative to a baseline, in parentheses behind the value
    caption: str = ""  # above the table, in documents below it
    label: str = ""  # how a LaTeX document refers to the table
    notices: Sequence[str] = ()  # lines to read below the table
    rules: frozenset[int] = frozenset()  # rows below which a rule stands
    is_raw: bool = False  # whether headings and text are LaTeX already

    def is_number(self, column: int) -> bool:
        """Whether the column holds numbers, and nulls at most beside them."""
        values = [row[column] for row in self.rows if row[column] is not None]
        return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)

    def values(self, name: str) -> list[Any]:
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def is_picture(self, column: int) -> bool:
        return any(isinstance(row[column], Picture) for row in self.rows)

    def text(self, row: Sequence[object], column: int, digits: int) -> str:
        name = self.columns[column]
        measure = row[self.columns.index("measure")] if "measure" in self.columns else name
        return value_text(row[column], name, digits, is_count=measure in self.counts)

    def texts(self, digits: int) -> list[list[str]]:
        return [[self.text(row, at, digits) for at in range(len(self.columns))] for row in self.rows]

    def picked(self, *names: str) -> list[tuple[Any, ...]]:
        places = [list(self.columns).index(name) for name in names]
        return [tuple(row[place] for place in places) for row in self.rows]

    def with_columns(self, places: Sequence[int]) -> Table:
        new = {place: at for at, place in enumerate(places)}
        return self._replace(
            columns=[self.columns[place] for place in places],
            rows=[[row[place] for place in places] for row in self.rows],
            best=frozenset((row, new[at]) for row, at in self.best if at in new),
            marks={(row, new[at]): mark for (row, at), mark in self.marks.items() if at in new},
        )

    def without(self, *places: int) -> Table:
        return self.with_columns([at for at in range(len(self.columns)) if at not in places])

    def with_column(self, place: int, name: str, values: Sequence[object]) -> Table:
        last = len(self.columns)
        rows = [[*row, value] for row, value in zip(self.rows, values, strict=True)]
        wider = self._replace(columns=[*self.columns, name], rows=rows)
        return wider.with_columns([*range(place), last, *range(place, last)])

    def without_constants(self, names: Collection[str], digits: int) -> Table:
        """The table without those of the named columns that have one text in every row; the caption has it then."""
        table = self
        for name in [name for name in self.columns if name in names]:
            at = table.columns.index(name)
            texts = {table.text(row, at, digits) for row in table.rows}
            if len(texts) == 1:
                (text,) = texts
                caption = ", ".join(filter(None, [table.caption, text if text in ("", name) else f"{name} {text}"]))
                table = table.without(at)._replace(caption=caption)
        return table

    def with_best(self, lower: Collection[str], digits: int, *, first: int = 2, by: int = 1) -> Table:
        """The table with the best means of several systems marked: those that read like the best.

        Measures begin at column ``first``; rows that have the first ``by`` columns in common are compared.
        """
        best: set[tuple[int, int]] = set()
        for group in {tuple(row[:by]) for row in self.rows}:
            rows = [nth for nth, row in enumerate(self.rows) if tuple(row[:by]) == group]
            for at in range(first, len(self.columns)) if len(rows) > 1 else ():
                best |= self.best_cells([(nth, at) for nth in rows], digits, is_lower=self.columns[at] in lower)
        return self._replace(best=frozenset(best))

    def best_cells(self, cells: Sequence[tuple[int, int]], digits: int, *, is_lower: bool) -> set[tuple[int, int]]:
        values: dict[tuple[int, int], Any] = {(nth, at): self.rows[nth][at] for nth, at in cells}
        known = {at: each for at, each in values.items() if isinstance(each, int | float) and not math.isnan(each)}
        if not known:
            return set()
        nth, at = (min if is_lower else max)(known, key=lambda cell: known[cell])
        best = self.text(self.rows[nth], at, digits)
        return {(nth, at) for nth, at in known if self.text(self.rows[nth], at, digits) == best}


def value_text(value: object, name: str, digits: int, *, is_count: bool = False) -> str:
    """A value as people read it; ``name`` is its column or measure."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    if abs(value) >= _HUGE:
        return f"{value:.{digits}e}"
    if 0 < abs(value) < 0.5 * 10**-digits:  # would read as 0
        if name in _P_VALUES:
            return f"<{10**-digits:.{digits}f}"  # no p value of these tests is 0
        if name in _SCORES:
            return f"{value:.{max(digits, 1)}g}"
        if name not in _SUBTRACTED:
            return f"{value:.2g}"
    return f"{value:.{0 if is_count else digits}f}"


def short(value: float | None) -> float | None:
    """A value to be drawn, with seven significant figures."""
    return None if value is None else float(f"{value:.7g}")


def finite(value: Any) -> Any:
    """What JSON can hold: a threshold beyond all scores has no number, and dates are texts as ISO 8601 has them."""
    if isinstance(value, datetime):
        return value.isoformat()
    return None if isinstance(value, float) and not math.isfinite(value) else value
