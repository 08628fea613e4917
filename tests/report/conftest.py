"""What tests of the page share: a browser, and a report full of names that mean something elsewhere."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

import evalsql
from tests.conftest import new_file

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 180_000  # milliseconds, for machines that are slow or busy
# Names that mean something to HTML, JavaScript, Markdown, LaTeX and spreadsheets.
NASTY = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "**bold** | _it_ [x](y)",
    r"100% \alpha $x^2$ {a}_b & #1 ~",
    "=1+1",
    "'\";--",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; without it tests are skipped, unless they are demanded."""
    if not CHROMIUM and not os.environ.get("EVALSQL_DEMAND_BROWSER"):
        pytest.skip("no Chromium is installed (Debian's package chromium)")
    with sync_playwright() as playwright, pytest.MonkeyPatch.context() as patch:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE)
        for name in ("new_context", "new_page"):
            patch.setattr(running, name, _patient(getattr(running, name)))
        yield running
        running.close()


def _patient(make: Callable[..., Any]) -> Callable[..., Any]:
    """The same, for what waits longer than half a minute before it fails."""

    def made(**options: Any) -> Any:
        found = make(**options)
        found.set_default_timeout(PATIENCE)
        return found

    return made


@pytest.fixture(scope="session")
def nasty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nasty")
    documents = [f"{name} {at}" for name in NASTY for at in range(3)]
    with evalsql.open(new_file(folder).rename(folder / "evalsql.duckdb")) as warehouse:
        grades = {document: at % 2 for at, document in enumerate(documents)}
        warehouse.load_qrels(dict.fromkeys(NASTY, grades), NASTY[0])
        for at, name in enumerate(NASTY):
            ranked = {document: float((place * (at + 3)) % 17) for place, document in enumerate(documents)}
            warehouse.load_run(dict.fromkeys(NASTY[: len(NASTY) - at % 2], ranked), name)
    return folder
