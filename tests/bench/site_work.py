"""The benchmark of a site: the time to write it, its size, the time until its pages are there."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench.peers import Peers
from tests.bench.report import Goal, Measured, Result
from tests.bench.stage import Stage

WRITING = 30.0  # seconds of the processor
MOST_BYTES = 25_000_000
OPENING = 1.0  # seconds by the clock
_ANSWERED = "body[data-state=done], body[data-state=failed]"


def site_folder(stage: Stage, peers: Peers) -> Iterator[Result]:
    """Seconds and bytes of a site of all systems, without the engine, and seconds to open its pages in Chromium."""
    folder = stage.folder / "site"
    wasm = os.environ.get("EVALSQL_DUCKDB_WASM", "")
    command = ["site", "-o", folder, "--db", stage.need_warehouse(), *(["--wasm", wasm] if wasm else [])]
    found = stage.repeated("site", partial(stage.evalsql, *command))
    work = f"site -o site, {len(stage.covid.runs)} systems"
    processor = Measured(found.user, found.user, found.peak)
    told = "the goal"
    yield Result("site", f"{work}, seconds of the processor", processor, told, Measured([WRITING]), Goal("at most", 1))
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "duckdb"]
    size = Measured([sum(path.stat().st_size for path in files)])
    yield Result("site", f"size of {work}", size, told, Measured([MOST_BYTES]), Goal("at most", 1), "MB")
    copy = Measured([path.stat().st_size for path in files if path.name.startswith("warehouse.duckdb")])
    yield Result("site", "size of the copy of the warehouse in it", copy, "", None, unit="MB")
    yield from _opened(folder, bool(wasm), stage.sizes.repeat)


def _opened(folder: Path, has_engine: bool, repeat: int) -> Iterator[Result]:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        yield Result("site", "a page in Chromium", None, "the goal", Measured([OPENING]), note="there is no Chromium")
        return
    from playwright.sync_api import sync_playwright

    from evalsql.report.site.site_folder import SiteServer

    server = SiteServer(folder)
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for kind in (
                "index.html",
                "systems/*.html",
                "sets/*/topics/*.html",
                "measures/ap.html",
                "sets/*/report.html",
            ):
                address = max(folder.glob(kind), key=lambda path: path.stat().st_size).relative_to(folder).as_posix()
                seconds = []
                for _ in range(repeat):
                    page = browser.new_page()
                    begun = time.perf_counter()
                    page.goto(server.address + address)
                    seconds.append(time.perf_counter() - begun)
                    page.close()
                told = "the goal"
                yield Result(
                    "site", f"to open {kind}", Measured(seconds), told, Measured([OPENING]), Goal("at most", 1)
                )
            if has_engine:
                yield from _asked(browser.new_page(), server.address)
            browser.close()
    finally:
        server.close()


def _asked(page: object, address: str) -> Iterator[Result]:
    """The first query, which starts the engine, and the next."""
    from playwright.sync_api import Page

    assert isinstance(page, Page)
    page.goto(f"{address}sql.html")
    for work, sql in (
        ("the console's first answer, with the engine's start", "select run, avg(value) from ap group by run"),
        ("its next answer, nDCG@10 of all systems", "select run, avg(value) from ndcg(k := 10) group by run"),
        ("TAP@5 of all systems", "select run, avg(value) from tap(k := 5) group by run"),
    ):
        page.fill("#sql", sql)
        page.evaluate("document.body.dataset.state = ''")
        begun = time.perf_counter()
        page.keyboard.press("Control+Enter")
        page.locator(_ANSWERED).wait_for(timeout=300_000)
        seconds = time.perf_counter() - begun
        failed = page.get_attribute("body", "data-state") != "done"
        yield Result("site", work, Measured([seconds]), "", None, failed=failed)
