"""The frame of every page of a site, and the small pictures in rows of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from evalsql.report.html import link, text
from evalsql.report.site.addresses import to_root

HOME = ("Results", "index.html")


class Frame(NamedTuple):
    """What pages of a site share. ``sections`` are names and addresses, from the root, of what the bar links."""

    title: str
    made: str
    sections: Sequence[tuple[str, str]]


class Page(NamedTuple):
    """A page: ``address`` from the root, and its ``body`` as HTML; ``above`` are names and addresses of the way to it.

    ``head`` is HTML for the head, ``scripts`` are files of the root that it runs.
    """

    address: str
    title: str
    summary: str
    body: str
    above: Sequence[tuple[str, str]] = ()
    head: str = ""
    scripts: Sequence[str] = ()


def html(page: Page, frame: Frame) -> str:
    """The whole page."""
    root = to_root(page.address)
    current = ' aria-current="page"'
    bar = "".join(
        f'<a href="{root}{escape(address)}"{current if page.address == address else ""}>{text(words)}</a>'
        for words, address in frame.sections
    )
    way = "".join(f"{link(root + address, words)} <span>/</span> " for words, address in page.above)
    scripts = "".join(f'<script src="{root}{name}" defer></script>\n' for name in ("site.js", *page.scripts))
    whole = page.title if page.title == frame.title else f"{page.title} \u2013 {frame.title}"
    return f"""<!doctype html>
<html lang="en" data-root="{root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{text(whole)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}site.css">
{page.head}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top"><div class="page">
<div class="heading"><div>{f'<p class="way">{way}</p>' if way else ""}<h1>{text(page.title)}</h1></div>
<p class="facts">{text(page.summary)}</p></div>
<div class="bar"><nav aria-label="Site">{bar}</nav>
<div class="search" id="search" hidden><label><span class="hidden">Search systems, topics and measures</span>
<input type="search" placeholder="Search" autocomplete="off" role="combobox" aria-expanded="false"
aria-controls="found" aria-autocomplete="list"></label>
<ul id="found" role="listbox" aria-label="Found" hidden></ul></div></div>
</div></header>
<main class="page" id="content">
{page.body}
</main>
<footer class="page"><p class="note">{text(frame.made)}</p></footer>
{scripts}</body>
</html>
"""


# Pictures in rows. Widths are in per cent, so that they flow without a script.


class Scale(NamedTuple):
    """What is drawn between the ends of a picture."""

    low: float
    high: float

    def at(self, value: float) -> str:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return f"{3 + 94 * min(max(share, 0), 1):.1f}".removesuffix(".0") + "%"


def scale_of(values: Iterable[float | None]) -> Scale:
    """One that has all values, and 0; up to 1 for what lies between 0 and 1."""
    there = [value for value in values if value is not None]
    low, high = min([0.0, *there]), max([0.0, *there])
    return Scale(low, 1.0 if low == 0 and 0 < high <= 1 else high)


def interval(scale: Scale, value: float, low: float | None, high: float | None, kind: str) -> str:
    """A mark on a line; ``kind`` is system, baseline, mark or unsure. Its figures stand in the row."""
    line = "" if low is None or high is None else f"<line class=ends x1={scale.at(low)} x2={scale.at(high)} />"
    mark = (
        f'<svg x={scale.at(value)} y=9 overflow=visible><path class=baseline d="M0-5L5 0L0 5L-5 0z"/></svg>'
        if kind == "baseline"
        else f"<circle class={kind} cx={scale.at(value)} />"
    )
    return f"<svg>{line}{mark}</svg>"


def spread(scale: Scale, value: float, low: float, median: float, high: float) -> str:
    """A value on the span of all, with their median as a tick. The figures stand in the row."""
    return (
        f"<svg><line class=span x1={scale.at(low)} x2={scale.at(high)} />"
        f"<line class=tick x1={scale.at(median)} x2={scale.at(median)} y1=-5 y2=5 />"
        f"<circle class=system cx={scale.at(value)} /></svg>"
    )


def tiles(grades: Sequence[int | None]) -> str:
    """The grades of documents, one tile each, for a cell of the kind t."""
    return "".join(map(_tile, grades))


def _tile(grade: int | None) -> str:
    # By the element, since a class would be most of a page of them.
    if grade is None:
        return "<u>\u2013</u>"
    return f"<em>{grade}</em>" if grade > 1 else f"<b>{grade}</b>" if grade == 1 else f"<i>{grade}</i>"
