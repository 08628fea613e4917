"""Writes a site: the whole folder or nothing of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.relations import Catalog
from evalsql.database.disk import whole_folder
from evalsql.database.names import Names
from evalsql.errors import UsageError
from evalsql.phrases import Progress, silent
from evalsql.report.page.html_page import page as report_page
from evalsql.report.site.console_page import CDN, console_page, copy_engine
from evalsql.report.site.published_copy import DEPTH, Copy, write_copy
from evalsql.report.site.set_pages import first_page, set_page, topic_list, topic_page
from evalsql.report.site.site_data import DIGITS, SetResults, gather
from evalsql.report.site.site_parts import CONSOLE, HOME, MEASURES, Addresses, Frame, html, to_root
from evalsql.report.site.system_pages import measure_list, measure_page, system_page
from evalsql.warehouse.warehouse import Warehouse

_FILES = Path(__file__).resolve().parent / "files"
_PAGE_FILES = _FILES.parents[1] / "page" / "files"
_SCRIPTS = ("site.js", "duckdb.js", "results.js", "completion.js", "console.js")
_MARK = ".evalsql-site"  # a folder with this file was written here and may be written anew


class Site(NamedTuple):
    """What was written."""

    num_pages: int
    size: int
    copy: Copy
    engine: str


def check_folder(folder: Path) -> None:
    """Raise UsageError where something stands that is no site."""
    if os.path.lexists(folder) and not (folder / _MARK).is_file() and not _is_empty(folder):
        raise UsageError(f"{folder}: exists and is not a site of evalsql; name another folder")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())


def write_site(
    warehouse: Warehouse,
    measures: Sequence[str],
    folder: Path,
    *,
    program_version: str,
    qrels: Names = (),
    runs: Names = (),
    baseline: str | None = None,
    title: str = "",
    depth: int | None = DEPTH,
    wasm: Path | None = None,
    progress: Progress = silent,
) -> Site:
    """Write the site of a warehouse; one that stands in the folder is replaced.

    Args:
        measures: names; the first is what systems are ordered by.
        qrels, runs: names or globs of what the site shows and its copy of the warehouse holds; all by default.
        baseline: run that others are compared with.
        title: what stands above; by default the name of the judgment set, or of the file where there are several.
        depth: documents of each ranking that the copy holds at least; None is all.
        wasm: folder of the unpacked npm package of DuckDB-Wasm; without it readers fetch it from its CDN.

    Raises:
        UsageError: unknown names, or the folder holds something else.
        WarehouseError: the disk is full.
    """
    check_folder(folder)
    found = gather(
        warehouse,
        measures,
        qrels=qrels,
        runs=runs,
        baseline=baseline,
        progress=progress,
    )
    addresses = Addresses(found, warehouse.catalog)
    named = title or (found[0].qrels if len(found) == 1 else Path(warehouse.path).stem)
    made = f"Made by evalsql {program_version}. Every figure here is a query of the warehouse."
    frame = Frame(named, made, _bar(found, addresses))
    with whole_folder(folder, is_ours=True) as part:
        engine = copy_engine(wasm, part) if wasm else CDN
        progress("writing the site", 0, 2)
        copy = write_copy(warehouse.database, found, part, depth)
        progress("writing the site", 1, 2)
        num_pages = 0
        for address, content in _pages(found, warehouse.catalog, addresses, frame, copy, engine):
            _write(part / address, content)
            num_pages += address.endswith(".html")
        _write_shared_files(part)
        _write(part / _MARK, f"evalsql {program_version}\n")
        size = sum(path.stat().st_size for path in part.rglob("*") if path.is_file() and path.parent.name != "duckdb")
        progress("writing the site", 2, 2)
    return Site(num_pages, size, copy, engine)


def _write_shared_files(folder: Path) -> None:
    """Write the scripts and styles that all pages have."""
    for name in _SCRIPTS:
        _write(folder / name, (_FILES / name).read_text(encoding="utf-8"))
    styles = [_PAGE_FILES / "page.css", _FILES / "site.css"]
    _write(folder / "site.css", "".join(style.read_text(encoding="utf-8") for style in styles))
    _write(folder / ".nojekyll", "")  # GitHub's pages are served as they are


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n", errors="surrogateescape") as stream:
        stream.write(text)


def _pages(
    found: Sequence[SetResults], catalog: Catalog, addresses: Addresses, frame: Frame, copy: Copy, engine: str
) -> Iterator[tuple[str, str]]:
    """Addresses and texts; ``engine`` is where the console finds DuckDB-Wasm."""
    pages = [first_page(found, addresses, frame.title)]
    for results in found:
        pages += [set_page(results, addresses), topic_list(results, addresses)]
        pages += [topic_page(topic, results, addresses) for topic in results.report.topics]
    for run in sorted({run for results in found for run in results.report.runs}):
        pages.append(system_page(run, [results for results in found if run in results.report.runs], addresses))
    pages.append(measure_list(catalog, found, addresses))
    pages += [measure_page(each, found, addresses, is_partial=each.name in copy.partial) for each in catalog.measures]
    pages.append(console_page(found, catalog, copy, engine))
    for each in pages:
        yield each.address, html(each, frame)
    for results in found:
        address = addresses.of_set(results.qrels, "report")
        above = [(frame.title, to_root(address) + "index.html"), (results.qrels, "index.html")]
        yield address, report_page(results.report, DIGITS, above)
    index = json.dumps(_searchable(found, catalog, addresses), allow_nan=False, separators=(",", ":"))
    yield "search.js", f"window.searchable = {index};\n"


def _bar(found: Sequence[SetResults], addresses: Addresses) -> list[tuple[str, str]]:
    """What the bar of every page links: of a single judgment set its own pages too."""
    pages = {"Systems": "index", "Topics": "topics", "Report": "report"} if len(found) == 1 else {}
    of_set = [(words, addresses.of_set(found[0].qrels, page)) for words, page in pages.items()]
    return [HOME, *of_set, MEASURES, CONSOLE]


def _searchable(found: Sequence[SetResults], catalog: Catalog, addresses: Addresses) -> list[list[str]]:
    """Kind, name, address and further words of everything that has a page."""
    listed = [["system", run, addresses.system(run), ""] for run in sorted({r for f in found for r in f.report.runs})]
    for results in found:
        listed.append(["judgments", results.qrels, addresses.of_set(results.qrels), ""])
        for topic in results.report.topics:
            of_set = f" ({results.qrels})" if len(found) > 1 else ""
            listed.append(["topic", topic + of_set, addresses.topic(results.qrels, topic), results.text(topic)])
    listed += [
        ["measure", each.header.measure, addresses.measure(each.name), each.header.title] for each in catalog.measures
    ]
    return listed
