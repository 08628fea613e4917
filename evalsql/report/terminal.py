"""What a terminal shows beside text: bars, marks by topic, and tables cut to its width."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TextIO

from evalsql.report.plain import GAP, one_line, text_width
from evalsql.report.table import Table

# From an eighth to the whole of a cell, to the right and upwards.
_WIDTHS = "\u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588"
HEIGHTS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
_UNKNOWN = "?"
EIGHTHS = len(_WIDTHS)
BAR = 8  # cells
_FOLDED = 12  # cells that a folded column keeps at least


def width() -> int:
    """Cells of a line: what COLUMNS says, else the terminal."""
    return shutil.get_terminal_size().columns


def shows_blocks(stream: TextIO) -> bool:
    """Whether bars can be written: not where the terminal's characters are ASCII."""
    try:
        (_WIDTHS + HEIGHTS).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def bar(eighths: int) -> str:
    """A bar of so many eighths of a cell."""
    whole, rest = divmod(eighths, EIGHTHS)
    return _WIDTHS[-1] * whole + (_WIDTHS[rest - 1] if rest else "")


def sparkline(levels: Sequence[int]) -> str:
    """A mark for each height from 1; 0 is not known."""
    return "".join(HEIGHTS[level - 1] if level else _UNKNOWN for level in levels)


def natural_widths(table: Table, digits: int) -> list[int]:
    """Cells that each column takes where nothing is folded."""
    return [
        max([text_width(one_line(name)), *(text_width(one_line(table.text(row, at, digits))) for row in table.rows)])
        for at, name in enumerate(table.columns)
    ]


def total(widths: Sequence[int]) -> int:
    """Cells of a table of such columns."""
    return sum(widths) + len(GAP) * (len(widths) - 1)


def without(table: Table, places: Sequence[int]) -> Table:
    """The table without the columns at these places."""
    kept = [at for at in range(len(table.columns)) if at not in places]
    return table._replace(
        columns=[table.columns[at] for at in kept], rows=[[row[at] for at in kept] for row in table.rows]
    )


def fitted(table: Table, cells: int, digits: int) -> tuple[Table, list[str]]:
    """A table whose numbers stand whole within so many cells, and the names of the columns it lacks.

    Columns of text can be folded; where that is not enough the last columns go, but for the first two.
    """
    least = [
        size if table.is_number(at) else min(size, _FOLDED) for at, size in enumerate(natural_widths(table, digits))
    ]
    kept = len(least)
    while kept > 2 and total(least[:kept]) > cells:
        kept -= 1
    return without(table, range(kept, len(least))), list(table.columns[kept:])
