"""Tables in HTML that fits light and dark pages, as a notebook shows them, with small pictures in their cells."""

from __future__ import annotations

from html import escape

from evalsql.report.page.html_parts import number
from evalsql.report.table import Picture, Table
from evalsql.report.terminal import one_line

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
_LONG = ("text",)  # columns of whole sentences
_WIDTH, _HEIGHT, _MARGIN = 140, 14, 4  # pixels of the picture of an interval
_SURE, _UNSURE = "#2a7f9e", "#888"


def as_html(table: Table, digits: int) -> str:
    """The table with its style, which needs nothing else of the page."""
    kinds = [_kind(table, at) for at in range(len(table.columns))]
    heads = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(table.columns, kinds, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{kind}>{_cell(table, nth, at, digits)}</td>' for at, kind in enumerate(kinds))}</tr>\n"
        for nth in range(len(table.rows))
    )
    caption = f"<caption>{escape(one_line(table.caption))}</caption>" if table.caption else ""
    notices = "\n".join(escape(one_line(text)) for text in table.notices)
    below = f'<div class="evalsql-notes">{notices}</div>' if notices else ""
    inner = f"{caption}\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>"
    return f'<style>{_STYLE}</style>\n<table class="evalsql">{inner}</table>\n{below}'


def _kind(table: Table, at: int) -> str:
    if table.is_number(at):
        return ' class="n"'
    if table.is_picture(at):
        return ' class="g"'
    return ' class="long"' if table.columns[at] in _LONG else ""


def _cell(table: Table, nth: int, at: int, digits: int) -> str:
    value, mark = table.rows[nth][at], table.marks.get((nth, at))
    if isinstance(value, Picture):
        return value.html
    text = escape(one_line(table.text(table.rows[nth], at, digits)).strip())  # aligned texts start with blanks
    return (f"<b>{text}</b>" if (nth, at) in table.best else text) + (f"<sup>{escape(mark)}</sup>" if mark else "")


def bar(percent: int) -> Picture:
    """A bar of so many percent of its cell."""
    return Picture(f'<div style="width:{percent}%"></div>')


def interval(value: float, ends: tuple[float, float] | None, span: tuple[float, float], *, is_sure: bool) -> Picture:
    """A value and its interval beside a line at 0, on the scale of a span."""
    least, greatest = span
    if least == greatest:
        return Picture("")

    def x(value: float) -> str:
        return f"{_MARGIN + (_WIDTH - 2 * _MARGIN) * (value - least) / (greatest - least):.1f}"

    middle, colour = _HEIGHT / 2, _SURE if is_sure else _UNSURE
    line = ""
    if ends is not None:
        low, high = map(x, ends)
        line = f'<line x1="{low}" x2="{high}" y1="{middle}" y2="{middle}" stroke="{colour}" stroke-width="2"/>'
    return Picture(
        # Pages of notebooks make pictures as narrow as their cells, which cuts off what stands beside them.
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" style="width:{_WIDTH}px;height:{_HEIGHT}px;max-width:none" role="img" '
        f'aria-label="difference {number(value, 4)}">'
        f'<line x1="{x(0)}" x2="{x(0)}" y1="0" y2="{_HEIGHT}" stroke="currentColor" stroke-opacity=".6"/>'
        f'{line}<circle cx="{x(value)}" cy="{middle}" r="3.5" fill="{colour}"/></svg>'
    )
