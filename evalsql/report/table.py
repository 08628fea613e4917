"""Rows on their way out, and how a value reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TextIO

_HUGE = 1e15  # beyond it a number has no decimals
CORRECTED = "corr. p"  # the heading of p_corrected where there is little room
_P_VALUES = ("p", "p_corrected", CORRECTED)
_SCORES = ("score", "threshold")  # E-values among them, which are small and not 0
# What is subtracted may differ from 0 by rounding alone.
_SUBTRACTED = ("difference", "low", "high", "contribution", "other_contribution", "spread")


class Table(NamedTuple):
    """Columns and rows.

    ``counts`` names measures whose values are whole: as columns, or in a column "measure". ``whole`` names columns of
    text that are not folded. ``bold`` has rows and columns of cells that stand out. ``hues`` says of rows and names of
    columns what a terminal colours: best, better or worse.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]
    counts: frozenset[str] = frozenset()
    whole: frozenset[str] = frozenset()
    bold: frozenset[tuple[int, int]] = frozenset()
    hues: Mapping[tuple[int, str], str] = {}

    def is_number(self, column: int) -> bool:
        """Whether the column holds numbers, and nulls at most beside them."""
        values = [row[column] for row in self.rows if row[column] is not None]
        return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)

    def text(self, row: Sequence[object], column: int, digits: int) -> str:
        """The value as people read it."""
        value = row[column]
        if value is None:
            return ""
        if not isinstance(value, float):
            return str(value)
        if abs(value) >= _HUGE:
            return f"{value:.{digits}e}"
        if self.columns[column] in _P_VALUES and 0 < value < 0.5 * 10**-digits:
            return f"<{10**-digits:.{digits}f}"  # no p value of these tests is 0
        if self.columns[column] in _SCORES and 0 < abs(value) < 0.5 * 10**-digits:
            return f"{value:.{max(digits, 1)}g}"
        if 0 < abs(value) < 0.5 * 10**-digits and self.columns[column] not in (*_P_VALUES, *_SUBTRACTED):
            return f"{value:.2g}"
        return f"{value:.0f}" if self._is_count(row, column) else f"{value:.{digits}f}"

    def _is_count(self, row: Sequence[object], column: int) -> bool:
        name = row[self.columns.index("measure")] if "measure" in self.columns else self.columns[column]
        return name in self.counts


Writer = Callable[[Table, TextIO, int], None]
