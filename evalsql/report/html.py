"""Tables of cells as a notebook shows them, in HTML that fits light and dark pages, and the same as aligned text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from evalsql.report.terminal import GAP, one_line, text_width

# Colours of text and lines are those of the page around, so that dark notebooks need no other rules.
_STYLE = (
    "table.evalsql{border-collapse:collapse;border:none;margin:.3em 0;font-variant-numeric:tabular-nums}"
    "table.evalsql caption{caption-side:top;text-align:left;font-weight:600;padding:.2em .5em;color:inherit}"
    "table.evalsql th,table.evalsql td{text-align:left!important;padding:.2em .6em;border:none;white-space:nowrap;"
    "vertical-align:middle;background:none;color:inherit}"
    "table.evalsql td.long{white-space:normal;min-width:16em;max-width:36em}"
    "table.evalsql th.n,table.evalsql td.n{text-align:right!important}"
    "table.evalsql thead th{font-weight:600;border-bottom:1px solid rgba(128,128,128,.6)}"
    "table.evalsql tbody tr{background:none;border-bottom:1px solid rgba(128,128,128,.18)}"
    "table.evalsql tbody tr:hover{background:rgba(128,128,128,.1)}"
    "table.evalsql td.g{padding:.2em .6em .2em 0;min-width:88px}"
    "table.evalsql td.g div{height:.8em;background:#2a7f9e;opacity:.6;border-radius:1px}"
    "table.evalsql svg{display:block}"
    "table.evalsql sup{line-height:0;font-size:.75em}table.evalsql td.n sup{position:absolute;margin-top:.5em}"
    "div.evalsql-notes{font-size:.85em;opacity:.8;max-width:80em;padding:0 .5em;white-space:pre-wrap}"
)


class Cell(NamedTuple):
    """What stands in a place: a text with a mark behind it, or a bar of so many percent, or a small picture."""

    text: str = ""
    is_bold: bool = False
    mark: str = ""
    bar: int | None = None
    picture: str = ""


class Column(NamedTuple):
    """A heading, and how what is below it stands; pictures are left out of text."""

    name: str
    is_number: bool = False
    is_picture: bool = False
    is_long: bool = False


class Grid(NamedTuple):
    """Rows of cells under columns, with what is to be said above and below."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = ()


def as_html(grid: Grid) -> str:
    """The grid with its style, which needs nothing else of the page."""
    heads = "".join(f"<th{_kind(column)}>{escape(column.name)}</th>" for column in grid.columns)
    body = "".join(
        f"<tr>{''.join(_html_cell(*each) for each in zip(grid.columns, row, strict=True))}</tr>\n" for row in grid.rows
    )
    caption = f"<caption>{escape(one_line(grid.caption))}</caption>" if grid.caption else ""
    notes = "\n".join(escape(one_line(text)) for text in grid.notes)
    below = f'<div class="evalsql-notes">{notes}</div>' if notes else ""
    table = f"{caption}\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>"
    return f'<style>{_STYLE}</style>\n<table class="evalsql">{table}</table>\n{below}'


def _kind(column: Column) -> str:
    kind = "n" if column.is_number else "g" if column.is_picture else "long" if column.is_long else ""
    return f' class="{kind}"' if kind else ""


def _html_cell(column: Column, cell: Cell) -> str:
    inner = escape(one_line(cell.text))
    if cell.is_bold:
        inner = f"<b>{inner}</b>"
    if cell.mark:
        inner += f"<sup>{escape(cell.mark)}</sup>"
    if cell.bar is not None:
        inner = f'<div style="width:{cell.bar}%"></div>'
    return f"<td{_kind(column)}>{inner}{cell.picture}</td>"


def as_text(grid: Grid) -> str:
    """The grid as aligned lines, marks behind the texts."""
    texts = [_texts(grid, at) for at, column in enumerate(grid.columns) if not column.is_picture]
    widths = [max(map(text_width, column)) for column in texts]
    lines = [GAP.join(line).rstrip() for line in zip(*texts, strict=True)]
    ruled = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (sum(widths) + len(GAP) * (len(widths) - 1))
    return "\n".join([*filter(None, [grid.caption]), *lines[:1], ruled, *lines[1:], *map(one_line, grid.notes)])


def _texts(grid: Grid, at: int) -> list[str]:
    """A column from its heading down, each text as wide as the widest."""
    column, cells = grid.columns[at], [row[at] for row in grid.rows]
    longest = max((len(cell.mark) for cell in cells), default=0)
    below = [one_line(cell.text) + cell.mark.ljust(longest if column.is_number else 0) for cell in cells]
    texts = [one_line(column.name) + " " * (longest if column.is_number else 0), *below]
    width = max(map(text_width, texts))
    gaps = [" " * (width - text_width(text)) for text in texts]
    return [gap + text if column.is_number else text + gap for gap, text in zip(gaps, texts, strict=True)]
