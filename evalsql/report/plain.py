"""Tables for the terminal, and as aligned text elsewhere."""

from __future__ import annotations

from typing import TextIO

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from evalsql.report.table import Table

_WIDEST = 10_000


def write_table(table: Table, stream: TextIO, digits: int) -> None:
    """Aligned columns; on a terminal as wide as it is, elsewhere as wide as the rows need."""
    terminal = stream.isatty()
    console = Console(file=stream, width=None if terminal else _WIDEST, highlight=False)
    style = "bold" if terminal else ""
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style=style)
    for at, column in enumerate(table.columns):
        # Names are text, never markup: a run may be called "FSDM [d]".
        grid.add_column(Text(column), justify="right" if table.is_number(at) else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(_one_line(table.text(row, at, digits))) for at in range(len(table.columns))))
    with console.capture() as capture:
        console.print(grid)
    for line in capture.get().splitlines():
        stream.write(line.rstrip() + "\n")


def _one_line(text: str) -> str:
    """The text with characters that would break the row written as escapes."""
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
