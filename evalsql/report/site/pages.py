"""All pages of a site, one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from evalsql.catalog.relations import Catalog
from evalsql.report.page import page as report_page
from evalsql.report.pagedata import topics_in_order
from evalsql.report.site import parts
from evalsql.report.site.console import console_page
from evalsql.report.site.copying import Copy
from evalsql.report.site.measure_pages import measure_list, measure_page
from evalsql.report.site.parts import Frame
from evalsql.report.site.places import CONSOLE, MEASURES, Places
from evalsql.report.site.results import Results
from evalsql.report.site.set_pages import DIGITS, first_page, set_page, topic_list
from evalsql.report.site.system_pages import system_page
from evalsql.report.site.topic_pages import topic_page


def site_pages(
    found: Sequence[Results], catalog: Catalog, places: Places, frame: Frame, copy: Copy, engine: str
) -> Iterator[tuple[str, str]]:
    """Addresses and texts; ``engine`` is where the console finds DuckDB-Wasm."""
    pages = [first_page(found, places, frame.title)]
    for results in found:
        pages += [set_page(results, places), topic_list(results, places)]
        pages += [topic_page(topic, results, places) for topic in results.overview.topics]
    for run in sorted({run for results in found for run in results.overview.runs}):
        pages.append(system_page(run, [results for results in found if run in results.overview.runs], places))
    pages.append(measure_list(catalog, found, places))
    pages += [measure_page(each, found, places, each.name in copy.partial) for each in catalog.measures]
    pages.append(console_page(found, catalog, copy, engine))
    for each in pages:
        yield each.address, parts.html(each, frame)
    for results in found:
        address = places.report(results.qrels)
        home = [(frame.title, parts.to_root(address) + "index.html"), (results.qrels, "index.html")]
        yield address, report_page(results.overview, DIGITS, home)
    yield "search.js", f"window.searchable = {_json(_searchable(found, catalog, places))};\n"


def sections(found: Sequence[Results], places: Places) -> list[tuple[str, str]]:
    """What the bar of every page links: of a single judgment set its own pages too."""
    of_set = []
    if len(found) == 1:
        qrels = found[0].qrels
        of_set = [
            ("Systems", places.of_set(qrels)),
            ("Topics", places.topic_list(qrels)),
            ("Report", places.report(qrels)),
        ]
    return [("Results", "index.html"), *of_set, ("Measures", MEASURES), ("SQL", CONSOLE)]


def _searchable(found: Sequence[Results], catalog: Catalog, places: Places) -> list[list[str]]:
    """Kind, name, address and further words of everything that has a page."""
    listed = [["system", run, places.system(run), ""] for run in sorted({r for f in found for r in f.overview.runs})]
    for results in found:
        listed.append(["judgments", results.qrels, places.of_set(results.qrels), ""])
        for topic in topics_in_order(results.overview):
            words = results.texts[topic].text if topic in results.texts else ""
            of_set = f" ({results.qrels})" if len(found) > 1 else ""
            listed.append(["topic", topic + of_set, places.topic(results.qrels, topic), words])
    listed += [
        ["measure", each.header.measure, places.measure(each.name), each.header.title] for each in catalog.measures
    ]
    return listed


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
