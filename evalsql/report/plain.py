"""Tables for the terminal, and as aligned text elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TextIO

from evalsql.report.table import Table

_WIDEST = 10_000
GAP = "  "
_LINE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
# Colour with restraint: what is best or worse, and bars. Terminals and NO_COLOR say whether there is any.
_HUES = {"best": "bold green", "better": "green", "worse": "red"}
_BARS = "cyan"
# Columns of names, which stand on one line each.
BARS = ("", "by topic")
NAMES = ("run", "baseline", "name", "system")


def write_table(table: Table, stream: TextIO, digits: int) -> None:
    """Aligned columns; on a terminal as wide as it is, elsewhere as wide as the rows need."""
    rows = [[one_line(table.text(row, at, digits)) for at in range(len(table.columns))] for row in table.rows]
    table = table._replace(columns=[one_line(name) for name in table.columns])
    columns = list(zip(table.columns, *rows, strict=True))
    widths = [max(map(text_width, column)) for column in columns]
    widths[-1:] = [max(1, width) for width in widths[-1:]]
    fits = sum(widths) + len(GAP) * len(widths) <= _WIDEST
    lines = _rendered(table, rows, stream) if stream.isatty() or not fits else _aligned(table, rows, widths, stream)
    for line in lines:
        stream.write(line.rstrip() + "\n")


def _aligned(table: Table, rows: Sequence[Sequence[str]], widths: Sequence[int], stream: TextIO) -> Iterator[str]:
    """What rich would make of it where there is room enough; it takes as long to import as many a command to run."""
    are_numbers = [table.is_number(at) for at in range(len(widths))]

    def line(cells: Sequence[str]) -> str:
        return GAP.join(
            " " * (width - text_width(cell)) + cell if is_number else cell + " " * (width - text_width(cell))
            for cell, width, is_number in zip(cells, widths, are_numbers, strict=True)
        )

    yield line(table.columns)
    yield (_LINE if can_write(_LINE, stream) else "-") * (sum(widths) + len(GAP) * (len(widths) - 1))
    yield from map(line, rows)


def can_write(text: str, stream: TextIO) -> bool:
    """Whether a stream's encoding has these characters; Windows gives files that a shell opens one with few."""
    try:
        text.encode(stream.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def text_width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _rendered(table: Table, rows: Sequence[Sequence[str]], stream: TextIO) -> Sequence[str]:
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    terminal = stream.isatty()
    console = Console(file=stream, width=None if terminal else _WIDEST, highlight=False)
    style = "bold" if terminal else ""
    grid = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False, header_style=style)
    whole = {*table.whole, *NAMES} if terminal else set()
    for at, column in enumerate(table.columns):
        # Names are text, never markup: a run may be called "FSDM [d]".
        is_number = table.is_number(at)
        justify: Literal["left", "right"] = "right" if is_number else "left"
        hue = _BARS if terminal and column in BARS else ""
        grid.add_column(Text(column), justify=justify, overflow="fold", no_wrap=is_number or column in whole, style=hue)
    for nth, row in enumerate(rows):
        hues = [_HUES[table.hues[nth, name]] if (nth, name) in table.hues else "" for name in table.columns]
        grid.add_row(*(Text(text, style=hue if terminal else "") for text, hue in zip(row, hues, strict=True)))
    with console.capture() as capture:
        console.print(grid)
    return capture.get().splitlines()


def printable(text: str) -> str:
    """Lines of text without what a terminal would act on: other control characters are written as escapes."""
    return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in text.split("\n"))


def one_line(text: str) -> str:
    """The text with characters that would break the row written as escapes."""
    return text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
