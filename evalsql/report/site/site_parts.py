"""What pages of a site share: results of each judgment set, addresses and links, the frame, small pictures in rows."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from pathlib import Path
from string import Template
from typing import Any, NamedTuple
from urllib.parse import quote

from evalsql.catalog.measure_names import Measure, default_measure, parse_measures, with_arguments
from evalsql.catalog.relations import Catalog
from evalsql.database.names import Names, as_list, resolve_one
from evalsql.errors import UsageError, warn
from evalsql.evaluation.listings import document_words
from evalsql.evaluation.selection import held_systems
from evalsql.literals import literal, literals
from evalsql.report.html import MADE, link, number, text
from evalsql.report.page.report_data import ReportData, gather_report, means_by_measure, names_query
from evalsql.warehouse.warehouse import Warehouse

DIGITS = 3
FOUND_DEPTH = 20  # a document counts as found from this rank on
TILES = 10  # first documents of each ranking that a topic's page shows


@dataclass(frozen=True, kw_only=True)
class SetResults(ReportData):
    """A report's parts, its means being those of all ``shown_measures``, and what the pages have beside them."""

    shown_measures: Sequence[Measure]
    standings: Mapping[tuple[str, str], Mapping[str, Any]]  # rows of ``topic_places`` by measure and run, then topic
    tiles: Mapping[tuple[str, str], Sequence[int | None]]  # the grades of the first documents by run and topic
    relevant: Mapping[str, Sequence[Any]]  # rows of ``found_documents`` by topic
    words: Mapping[str, Sequence[str | None]]  # text, description and narrative by topic
    said: Mapping[str, str]  # the beginning of what relevant documents say, where it is held
    history: Sequence[Sequence[Any]]  # system, run, version, date, measure, mean, difference to the load before, place

    @property
    def first(self) -> str:
        """The measure that orders the runs."""
        return self.names[0]

    def text(self, topic: str) -> str:
        return self.texts.get(topic) or ""

    def named(self, document: str) -> str:
        """A document's name as HTML, what it says below it."""
        said = f"<small dir=auto>{text(self.said[document])}</small>" if document in self.said else ""
        return text(document) + said

    def place(self, run: str) -> str:
        return f"{self.means[self.first][run].place} of {len(self.runs)}"

    def mark(self, run: str, place: int) -> str:
        return "baseline" if run == self.baseline else "system" if place == 1 else "mark"

    def on_topic(self, topic: str) -> list[tuple[str, Any]]:
        """Runs and how they stand on a topic by the first measure, the best first."""
        found = [(run, self.standings[self.first, run].get(topic)) for run in self.runs]
        return sorted(((run, each) for run, each in found if each), key=lambda pair: pair[1].place)

    def values_text(self, measures: Sequence[str], run: str, topic: str) -> list[str]:
        found = [self.standings[name, run].get(topic) for name in measures]
        return ["" if each is None else number(each.value, DIGITS) for each in found]


def gather(
    warehouse: Warehouse,
    measures: Sequence[str],
    *,
    qrels: Names = (),
    runs: Names = (),
    baseline: str | None = None,
    **how: Any,
) -> list[SetResults]:
    """The results of every judgment set that evaluates one of the runs; raises UsageError where there is none.

    Further options are those of ``gather_report``.
    """
    held: dict[str, list[str]] = {}
    for judged, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(as_list(qrels), runs)):
        held.setdefault(judged, []).append(run)
    if not held:
        raise UsageError("a site needs a judgment set and a run evaluated with it; evalsql ls lists both")
    if baseline is not None:
        baseline = resolve_one(warehouse.database, "run", baseline)
        if not any(baseline in names for names in held.values()):
            raise UsageError(f"{baseline} is not evaluated with any of these judgment sets")
    # Those that were asked for, then the common ones and the user's own at their defaults.
    shown = {measure.name: measure for measure in parse_measures(measures, warehouse.catalog)}
    slow = warehouse.evaluation.too_slow()
    for reason in slow.values():
        warn(reason)
    common = [each for each in warehouse.catalog.measures if each.header.in_scores and each.name not in slow]
    for measure in map(default_measure, common):
        shown.setdefault(measure.name, measure)
    for (cost,) in warehouse.rows("select distinct cost from costs where topic_id is not null order by cost"):
        measure = with_arguments(warehouse.catalog, "cost", name=cost)
        shown.setdefault(measure.name, measure)
    results = []
    for judged, names in held.items():
        base = baseline if baseline in names else None
        report = gather_report(warehouse, measures, qrels=judged, runs=names, baseline=base, for_page=True, **how)
        results.append(_set_results(warehouse, report, [*shown.values()]))
    return results


def _set_results(warehouse: Warehouse, report: ReportData, measures: Sequence[Measure]) -> SetResults:
    database, qrels = warehouse.database, report.qrels
    runs = {"chosen_runs": names_query("run", report.runs)}
    with warehouse.evaluation.with_scores(measures, qrels=qrels, runs=report.runs):
        means = means_by_measure(warehouse, qrels, measures)
        standings = _standings(warehouse, report.measures)
        history = _history(warehouse, report) if held_systems(warehouse.database, ()) else []
    lists = database.query("chosen_lists", {**runs, "chosen_topics": "select topic from topics"}, qrels=qrels)
    first = database.query("listed_documents", {"chosen_lists": lists}, depth=TILES)
    grades = database.rows(f"select list, topic, list(grade order by rank) from ({first}) group by all")
    found = database.query("found_documents", runs, qrels=qrels, depth=FOUND_DEPTH)
    relevant: dict[str, list[Any]] = defaultdict(list)
    for each in database.records(f"{found}\norder by topic, found_place"):
        relevant[each.topic].append(each)
    words = database.rows("select topic, text, description, narrative from topic_texts where qrels = ?", [qrels])
    parts = {each.name: getattr(report, each.name) for each in fields(report)} | {"means": means}
    return SetResults(
        **parts,
        shown_measures=measures,
        standings=standings,
        tiles={(run, topic): shown for run, topic, shown in grades},
        relevant=relevant,
        words={topic: texts for topic, *texts in words},
        said=document_words(warehouse.evaluation, (each.document for group in relevant.values() for each in group)),
        history=history,
    )


def _standings(warehouse: Warehouse, measures: Sequence[Measure]) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    signs = [(each.name, -1 if each.relation.header.less_is_better else 1) for each in measures]
    values = f"""
        select measure, run, topic, value, sign from temp.scores
        join (values {", ".join(f"({literal(name)}, {sign})" for name, sign in signs)}) as signs(measure, sign)
            using (measure)
    """
    places = warehouse.database.query("topic_places", {"ranked_values": values})
    found: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for each in warehouse.database.records(places):
        found[each.measure, each.run][each.topic] = each
    return found


def _history(warehouse: Warehouse, report: ReportData) -> list[tuple[Any, ...]]:
    """The means of the runs of each system in the order of their dates, with the place of each from the newest."""
    names = literals(report.names)
    shown = f"""
        select * from (
            select * from history
            where qrels = {literal(report.qrels)} and run in ({names_query("run", report.runs)})
        ) where measure in ({names})
    """
    loads = warehouse.database.query("recent_loads", {"shown_history": shown})
    return warehouse.rows(f"from ({loads}) order by system, list_position([{names}], measure), dated_at, run")


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

    def __init__(self, found: Sequence[SetResults], catalog: Catalog, title: str) -> None:
        self.found, self.catalog, self.title = found, catalog, title
        self.address, self.root = HOME[1], ""
        self.sets = file_names(results.qrels for results in found)
        self.systems = file_names(run for results in found for run in results.runs)
        self._topics = {results.qrels: file_names(results.topics) for results in found}
        self._measures = file_names(relation.name for relation in catalog.measures)
        # What the bar of every page links: of a single judgment set its own pages too.
        of_set = {"Systems": "index", "Topics": "topics", "Report": "report"} if len(found) == 1 else {}
        own = ((words, self.set_page(found[0].qrels, page)) for words, page in of_set.items())
        self.bar = [HOME, *own, MEASURES, CONSOLE]

    def on(self, address: str) -> Links:
        links = copy(self)
        links.address, links.root = address, "../" * address.count("/")
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


class Page(NamedTuple):
    """A page, its addresses being seen from the root of the site."""

    address: str
    title: str
    summary: str
    body: str  # HTML
    above: Sequence[tuple[str, str]] = ()  # names and addresses of the pages above it
    head: str = ""  # HTML
    scripts: Sequence[str] = ()  # files that it runs


def html(page: Page, links: Links) -> str:
    root = links.on(page.address).root
    current = ' aria-current="page"'
    bar = "".join(
        f'<a href="{root}{text(address)}"{current if page.address == address else ""}>{text(words)}</a>'
        for words, address in links.bar
    )
    way = "".join(f"{link(root + address, words)} <span>/</span> " for words, address in page.above)
    names = ("elements.js", "site.js", *page.scripts)
    scripts = "".join(f'<script src="{root}{name}" defer></script>\n' for name in names)
    whole = page.title if page.title == links.title else f"{page.title} \u2013 {links.title}"
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
