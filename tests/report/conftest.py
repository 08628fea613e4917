"""What tests of the page share: a browser, the sample's report, and one of names that mean something elsewhere."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

import evalsql
from evalsql.catalog.measure_names import DEFAULT_MEASURES
from tests.conftest import in_process, new_file, new_warehouse

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
def folder(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    """Where the sample's warehouse and its report are."""
    folder = tmp_path_factory.mktemp("report")
    shutil.copy(sample_file, folder / "evalsql.duckdb")
    outcome = in_process(folder, ["report", "-o", "report.html", "--with", "roc"], "")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    return folder


def asked(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """The rows that a command prints about the warehouse of a folder."""
    outcome = in_process(folder, [*arguments, "--format", "json"], "")
    assert outcome.returncode == 0, outcome.stderr
    return list(json.loads(outcome.stdout))


def report_of(
    folder: Path, runs: Mapping[str, Mapping[str, Any]], judgments: Mapping[str, Any], *measures: str, **options: Any
) -> Path:
    """The page of a report of these runs."""
    path = folder / "report.html"
    with new_warehouse() as warehouse:
        warehouse.load_qrels(judgments, "judged")
        for name, rankings in runs.items():
            warehouse.load_run(rankings, name)
        warehouse.report(measures=measures or DEFAULT_MEASURES, output=path, **options)
    return path


class Watched:
    """A page with everything it asked for and complained of."""

    def __init__(self, page: Page, path: Path, choice: str = "") -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", self._opened)
        page.goto(path.as_uri() + choice)

    def _said(self, message: ConsoleMessage) -> None:
        self.complaints.append(message.text)

    def _opened(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def rows(self, of: str = "#winner") -> list[str]:
        """Systems of a table that can be seen, in order."""
        rows = f"[...document.querySelectorAll('{of} tbody tr')].filter((each) => each.checkVisibility())"
        return list(self.page.evaluate(f"{rows}.map((each) => each.dataset.run)"))

    def cells(self, run: str) -> list[str]:
        """What the winner chart says of a system: place, name, mean, difference, won, tied, lost."""
        cells = self.page.locator(f"#winner tbody tr[data-run='{run}'] :is(td, th)").all_inner_texts()
        return [text.strip().replace("\u2212", "-") for text in [*cells[:2], *cells[3:]]]

    def topics(self) -> dict[str, str]:
        """The topics that are rows, and the difference on each."""
        row = "[each.dataset.topic, each.querySelectorAll('td')[3].textContent]"
        return dict(self.page.evaluate(f"[...document.querySelectorAll('#topics-body tr.row')].map((each) => {row})"))

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()

    def data(self) -> dict[str, Any]:
        """What the script draws from."""
        return dict(json.loads(self.page.text_content("#figures") or ""))


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Watched]]:
    """Opens pages, and looks at the end whether any complained."""
    found: list[Watched] = []

    def show(path: Path, choice: str = "", *, script: bool = True, width: int = 1200, **options: Any) -> Watched:
        options |= {"viewport": {"width": width, "height": 740 if width < 500 else 900}}
        found.append(Watched(browser.new_page(java_script_enabled=script, **options), path, choice))
        return found[-1]

    yield show
    complaints = [each.complaints for each in found]
    for each in found:
        each.page.close()
    assert not any(complaints), complaints


@pytest.fixture
def watched(opened: Callable[..., Watched], folder: Path) -> Watched:
    """The sample's report."""
    return opened(folder / "report.html")


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
        warehouse.report(shown=["roc"], title=NASTY[0], output=folder / "report.html")
    return folder
