"""What pages of a site share: addresses that are safe as files' names, links, the frame, and small pictures in rows."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from urllib.parse import quote

from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Catalog
from evalsql.report.html import MADE, link, text
from evalsql.report.site.site_data import SetResults

HOME, MEASURES, CONSOLE = ("Results", "index.html"), ("Measures", "measures/index.html"), ("SQL", "sql.html")
BOARD = "Board", "board.html"
FILES = Path(__file__).resolve().parent / "files"
_FRAME = Template((FILES / "frame.html").read_text(encoding="utf-8"))
_SAFE = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9])?")
_TAKEN = re.compile(r"index|con|prn|aux|nul|(?:com|lpt)[0-9]")  # some of them are no files on Windows
_HASHED = re.compile(r".*-[0-9a-f]{8,}")


def file_names(names: Iterable[str]) -> dict[str, str]:
    """Names of files for names of anything: safe on every system, never the same for two names.

    A name goes by itself where it can, else it is shortened before a digest, so that its address stays whatever is
    loaded.
    """
    taken: dict[str, str] = {}
    for name in sorted(set(names)):
        taken[next(file for file in _candidates(name) if file not in taken)] = name
    return {name: file for file, name in taken.items()}


def _candidates(name: str) -> Iterable[str]:
    if _SAFE.fullmatch(name) and not _TAKEN.fullmatch(name.partition(".")[0]) and not _HASHED.fullmatch(name):
        yield name
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "x"
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    for length in range(8, len(digest) + 1):
        yield f"{words}-{digest[:length]}"


class Links:
    """What a site shows: the address of every page from its root, and links, as HTML, from the page that ``on`` names.

    ``sets`` and ``systems`` have the names of files by judgment set and run, in the order of these names.
    """

    def __init__(self, found: Sequence[SetResults], catalog: Catalog) -> None:
        self.root, self.found, self.catalog = "", found, catalog
        self.sets = file_names(results.qrels for results in found)
        self.systems = file_names(run for results in found for run in results.runs)
        self._topics = {results.qrels: file_names(results.topics) for results in found}
        self._measures = file_names(relation.name for relation in catalog.measures)

    def on(self, address: str) -> Links:
        links = copy(self)
        links.root = to_root(address)
        return links

    def set_page(self, qrels: str, page: str = "index") -> str:
        """A page of a judgment set: index, topics or report."""
        return f"sets/{self.sets[qrels]}/{page}.html"

    def topic_page(self, qrels: str, topic: str) -> str:
        return f"sets/{self.sets[qrels]}/topics/{self._topics[qrels][topic]}.html"

    def system_page(self, run: str) -> str:
        return f"systems/{self.systems[run]}.html"

    def measure_page(self, relation: str) -> str:
        return f"measures/{self._measures[relation]}.html"

    def to(self, address: str, words: object) -> str:
        return link(self.root + address, words)

    def topic(self, qrels: str, topic: str) -> str:
        return self.to(self.topic_page(qrels, topic), topic)

    def system(self, run: str) -> str:
        return self.to(self.system_page(run), run)

    def measure(self, measure: Measure) -> str:
        return self.to(self.measure_page(measure.relation.name), measure.name)

    def query(self, sql: str, words: str) -> str:
        return self.to(query_address(sql), words)


def query_address(sql: str) -> str:
    return f"{CONSOLE[1]}#q={quote(sql, safe='')}"


def to_root(address: str) -> str:
    return "../" * address.count("/")


class Frame(NamedTuple):
    """What pages of a site share. ``sections`` are names and addresses, from the root, of what the bar links."""

    title: str
    sections: Sequence[tuple[str, str]]


class Page(NamedTuple):
    """A page, its addresses being seen from the root of the site."""

    address: str
    title: str
    summary: str
    body: str  # HTML
    above: Sequence[tuple[str, str]] = ()  # names and addresses of the pages above it
    head: str = ""  # HTML
    scripts: Sequence[str] = ()  # files that it runs


def html(page: Page, frame: Frame) -> str:
    root = to_root(page.address)
    current = ' aria-current="page"'
    bar = "".join(
        f'<a href="{root}{text(address)}"{current if page.address == address else ""}>{text(words)}</a>'
        for words, address in frame.sections
    )
    way = "".join(f"{link(root + address, words)} <span>/</span> " for words, address in page.above)
    names = ("elements.js", "site.js", *page.scripts)
    scripts = "".join(f'<script src="{root}{name}" defer></script>\n' for name in names)
    whole = page.title if page.title == frame.title else f"{page.title} \u2013 {frame.title}"
    return _FRAME.substitute(
        root=root,
        whole_title=text(whole),
        head=page.head,
        way=f'<p class="way">{way}</p>' if way else "",
        title=text(page.title),
        summary=text(page.summary),
        bar=bar,
        body=page.body,
        made=text(MADE),
        scripts=scripts,
    )


class Scale(NamedTuple):
    """The ends of the pictures in the rows of a table. Widths are in per cent, so that they flow without a script."""

    low: float
    high: float

    def at(self, value: float) -> str:
        share = (value - self.low) / ((self.high - self.low) or 1)
        return f"{3 + 94 * min(max(share, 0), 1):.1f}".removesuffix(".0") + "%"

    def interval(self, value: float, low: float | None, high: float | None, kind: str) -> str:
        """A mark on a line; ``kind`` is system, baseline, mark or unsure. Its figures stand in the row."""
        line = "" if low is None or high is None else f"<line class=ends x1={self.at(low)} x2={self.at(high)} />"
        mark = f"<circle class={kind} cx={self.at(value)} />"
        if kind == "baseline":
            path = '<path class=baseline d="M0-5L5 0L0 5L-5 0z"/>'
            mark = f"<svg x={self.at(value)} y=9 overflow=visible>{path}</svg>"
        return f"<svg>{line}{mark}</svg>"

    def spread(self, value: float, among: Any) -> str:
        """A value on the span of all, with their median as a tick. The figures stand in the row."""
        return (
            f"<svg><line class=span x1={self.at(among.lowest)} x2={self.at(among.highest)} />"
            f"<line class=tick x1={self.at(among.median)} x2={self.at(among.median)} y1=-5 y2=5 />"
            f"<circle class=system cx={self.at(value)} /></svg>"
        )


def scale_of(values: Iterable[float | None]) -> Scale:
    """One that has all values, and 0; up to 1 for what lies between 0 and 1."""
    there = [value for value in values if value is not None]
    low, high = min([0.0, *there]), max([0.0, *there])
    return Scale(low, 1.0 if low == 0 and 0 < high <= 1 else high)


def tiles(grades: Sequence[int | None]) -> str:
    """The grades of documents, one tile each, for a cell of the class t; by the element, for there are many."""
    judged = {grade: "em" if grade > 1 else "b" if grade == 1 else "i" for grade in grades if grade is not None}
    shown = {grade: f"<{element}>{grade}</{element}>" for grade, element in judged.items()}
    return "".join("<u>\u2013</u>" if grade is None else shown[grade] for grade in grades)
