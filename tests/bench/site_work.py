"""The benchmark of a site: the time to write it, its size, the time until its pages are there."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.report import Measured, Result, within
from tests.bench.stage import Stage

_OPENING = 1.0  # seconds by the clock
_PAGES = ("index.html", "systems/*.html", "sets/*/topics/*.html", "measures/ap.html", "sets/*/report.html")
_QUESTIONS = {
    "the console's first answer, with the engine's start": "ap",
    "its next answer, nDCG@10 of all systems": "ndcg(k := 10)",
    "TAP@5 of all systems": "tap(k := 5)",
}


def site(stage: Stage) -> Iterator[Result]:
    """Seconds and bytes of a site of all systems, without the engine, and seconds to open its pages in Chromium."""
    folder = stage.folder / "site"
    wasm = os.environ.get("EVALSQL_DUCKDB_WASM", "")
    command = ["site", "-o", folder, "--db", stage.need_warehouse(), *(["--wasm", wasm] if wasm else [])]
    found = stage.repeated("site", partial(stage.evalsql, *command))
    work = f"site -o site, {len(stage.covid.runs)} systems"
    yield within("site", f"{work}, seconds of the processor", found.of_processor, 30.0)
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "duckdb"]
    size = Measured([sum(path.stat().st_size for path in files)])
    yield within("site", f"size of {work}", size, 25_000_000, "MB")
    copy = Measured([path.stat().st_size for path in files if path.name.startswith("warehouse.duckdb")])
    yield Result("site", "size of the copy of the warehouse in it", copy, "", None, unit="MB")
    yield from _opened(folder, bool(wasm), stage.sizes.repeat)


def _opened(folder: Path, has_engine: bool, repeat: int) -> Iterator[Result]:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        yield Result("site", "a page in Chromium", None, "the goal", Measured([_OPENING]), note="there is no Chromium")
        return
    from playwright.sync_api import sync_playwright

    from evalsql.report.site.site_folder import SiteServer

    with closing(SiteServer(folder)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for kind in _PAGES:
            address = max(folder.glob(kind), key=lambda path: path.stat().st_size).relative_to(folder).as_posix()
            seconds = [_seconds(browser, server.address + address) for _ in range(repeat)]
            yield within("site", f"to open {kind}", Measured(seconds), _OPENING)
        if has_engine:
            yield from _asked(browser.new_page(), server.address)
        browser.close()


def _seconds(browser: Any, address: str) -> float:
    page = browser.new_page()
    begun = time.perf_counter()
    page.goto(address)
    seconds = time.perf_counter() - begun
    page.close()
    return seconds


def _asked(page: Any, address: str) -> Iterator[Result]:
    """The first query, which starts the engine, and the next."""
    page.goto(f"{address}sql.html")
    for work, call in _QUESTIONS.items():
        page.fill("#sql", f"select run, avg(value) from {call} group by run")
        page.evaluate("document.body.dataset.state = ''")
        begun = time.perf_counter()
        page.keyboard.press("Control+Enter")
        page.locator("body[data-state=done], body[data-state=failed]").wait_for(timeout=300_000)
        seconds = time.perf_counter() - begun
        failed = page.get_attribute("body", "data-state") != "done"
        yield Result("site", work, Measured([seconds]), "", None, failed=failed)
