"""What tests of a site share: the site of the demonstration's data, of hostile names, and DuckDB-Wasm."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page

import evalsql
from evalsql import Warehouse
from evalsql.report.site.site_server import SiteServer
from tests.conftest import in_process

# Words of the engine's own that a browser prints.
_USUAL = ("Buffering missing file",)


@pytest.fixture(scope="session")
def wasm() -> Path:
    """The unpacked package of DuckDB-Wasm; without it tests are skipped, unless they are demanded."""
    folder = os.environ.get("EVALSQL_DUCKDB_WASM", "")
    if not folder and not os.environ.get("EVALSQL_DEMAND_WASM"):
        pytest.skip("EVALSQL_DUCKDB_WASM names no folder with the unpacked npm package @duckdb/duckdb-wasm")
    return Path(folder)


def write_site(database: Path, folder: Path, *options: object) -> Path:
    outcome = in_process(folder.parent, ["site", "-o", folder.name, "--db", database, *options], "")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == ""
    return folder


@pytest.fixture(scope="session")
def site(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the sample, whose readers have the first five documents of each ranking."""
    return write_site(sample_file, tmp_path_factory.mktemp("site") / "site", "--depth", 5)


@pytest.fixture(scope="session")
def hostile(nasty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of names that mean something elsewhere."""
    return write_site(nasty / "evalsql.duckdb", tmp_path_factory.mktemp("hostile") / "site", "--title", "<b>&")


@contextmanager
def unpacked(site: Path, path: Path) -> Iterator[Warehouse]:
    """The copy of the warehouse that a site carries."""
    path.write_bytes(gzip.decompress((site / "warehouse.duckdb.gz").read_bytes()))
    with evalsql.open(path, read_only=True) as warehouse:
        yield warehouse


@contextmanager
def served(folder: Path) -> Iterator[SiteServer]:
    server = SiteServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.close()


class Visitor:
    """A page in a browser, with what it complained of and asked of other places."""

    def __init__(self, browser: Browser, server: SiteServer, **options: Any) -> None:
        self.server = server
        self.page: Page = browser.new_page(**options)
        self.complaints: list[str] = []
        self.elsewhere: list[str] = []
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._opened)
        self.page.context.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if not message.text.startswith(_USUAL):
            self.complaints.append(message.text)

    def _opened(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.server.address, "blob:", "data:")):
            self.elsewhere.append(request.url)

    def go(self, address: str) -> Page:
        self.page.goto(self.server.address + address)
        return self.page
