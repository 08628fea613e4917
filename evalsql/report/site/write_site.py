"""Writes a site: the whole folder or nothing of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.relations import Catalog
from evalsql.database.disk import whole_folder
from evalsql.errors import UsageError
from evalsql.phrases import Progress, silent
from evalsql.report.page.html_page import page as report_page
from evalsql.report.site.console_page import CDN, console_page, copy_engine
from evalsql.report.site.published_copy import Copy, write_copy
from evalsql.report.site.set_pages import first_page, set_page, topic_list, topic_page
from evalsql.report.site.site_data import DIGITS, SetResults
from evalsql.report.site.site_parts import CONSOLE, HOME, MEASURES, Frame, Links, html, to_root
from evalsql.report.site.system_pages import measure_list, measure_page, system_page
from evalsql.version import __version__
from evalsql.warehouse.warehouse import Warehouse

_FILES = Path(__file__).resolve().parent / "files"
_PAGE_STYLE = _FILES.parents[1] / "page" / "files" / "page.css"
_SCRIPTS = ("site.js", "duckdb.js", "results.js", "completion.js", "console.js")
_MARK = ".evalsql-site"  # a folder with this file was written here and may be written anew


class Site(NamedTuple):
    """What was written."""

    num_pages: int
    size: int
    copy: Copy


def check_folder(folder: Path) -> None:
    """Raise UsageError where something stands that is no site."""
    is_empty = folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())
    if os.path.lexists(folder) and not (folder / _MARK).is_file() and not is_empty:
        raise UsageError(f"{folder}: exists and is not a site of evalsql; name another folder")


def write_site(
    warehouse: Warehouse,
    found: Sequence[SetResults],
    folder: Path,
    *,
    title: str = "",
    depth: int | None = None,
    wasm: Path | None = None,
    progress: Progress = silent,
) -> Site:
    """Write the site of these results of a warehouse; one that stands in the folder is replaced.

    Args:
        title: what stands above; by default the name of the judgment set, or of the file where there are several.
        depth: documents of each ranking that the copy holds at least; None is all.
        wasm: folder of the unpacked npm package of DuckDB-Wasm; without it readers fetch it from its CDN.

    Raises:
        UsageError: the folder holds something else.
        WarehouseError: the disk is full.
    """
    check_folder(folder)
    links = Links(found, warehouse.catalog)
    named = title or (found[0].qrels if len(found) == 1 else Path(warehouse.path).stem)
    made = f"Made by evalsql {__version__}. Every figure here is a query of the warehouse."
    # What the bar of every page links: of a single judgment set its own pages too.
    of_set = {"Systems": "index", "Topics": "topics", "Report": "report"} if len(found) == 1 else {}
    bar = [HOME, *((words, links.set_page(found[0].qrels, page)) for words, page in of_set.items()), MEASURES, CONSOLE]
    with whole_folder(folder, is_ours=True) as part:
        engine = copy_engine(wasm, part) if wasm else CDN
        progress("writing the site", 0, 2)
        copy = write_copy(warehouse.database, found, part, depth)
        progress("writing the site", 1, 2)
        num_pages = 0
        for address, content in _files(found, warehouse.catalog, links, Frame(named, made, bar), copy, engine):
            path = part / address
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8", newline="\n", errors="surrogateescape")
            num_pages += path.suffix == ".html"
        size = sum(path.stat().st_size for path in part.rglob("*") if path.is_file() and path.parent.name != "duckdb")
        progress("writing the site", 2, 2)
    return Site(num_pages, size, copy)


def _files(
    found: Sequence[SetResults], catalog: Catalog, links: Links, frame: Frame, copy: Copy, engine: str
) -> Iterator[tuple[str, str]]:
    """Addresses and texts; ``engine`` is where the console finds DuckDB-Wasm."""
    runs = sorted({run for results in found for run in results.report.runs})
    pages = [first_page(found, links, frame.title)]
    for results in found:
        pages += [set_page(results, links), topic_list(results, links)]
        pages += [topic_page(topic, results, links) for topic in results.report.topics]
    pages += [system_page(run, [each for each in found if run in each.report.runs], links) for run in runs]
    pages.append(measure_list(catalog, found, links))
    pages += [measure_page(each, found, links, is_partial=each.name in copy.partial) for each in catalog.measures]
    pages.append(console_page(found, catalog, copy, engine))
    for page in pages:
        yield page.address, html(page, frame)
    for results in found:
        address = links.set_page(results.qrels, "report")
        above = [(frame.title, to_root(address) + "index.html"), (results.qrels, "index.html")]
        yield address, report_page(results.report, DIGITS, above)
    index = json.dumps(_searchable(found, catalog, links), allow_nan=False, separators=(",", ":"))
    yield "search.js", f"window.searchable = {index};\n"
    for name in _SCRIPTS:
        yield name, (_FILES / name).read_text(encoding="utf-8")
    yield "site.css", "".join(path.read_text(encoding="utf-8") for path in (_PAGE_STYLE, _FILES / "site.css"))
    yield ".nojekyll", ""  # GitHub's pages are served as they are
    yield _MARK, f"evalsql {__version__}\n"


def _searchable(found: Sequence[SetResults], catalog: Catalog, links: Links) -> list[list[str]]:
    """Kind, name, address and further words of everything that has a page."""
    runs = sorted({run for results in found for run in results.report.runs})
    listed = [["system", run, links.system_page(run), ""] for run in runs]
    for results in found:
        qrels, of_set = results.qrels, f" ({results.qrels})" if len(found) > 1 else ""
        listed.append(["judgments", qrels, links.set_page(qrels), ""])
        for topic in results.report.topics:
            listed.append(["topic", topic + of_set, links.topic_page(qrels, topic), results.text(topic)])
    for each in catalog.measures:
        listed.append(["measure", each.header.measure, links.measure_page(each.name), each.header.title])
    return listed
