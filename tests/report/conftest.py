"""What tests of the page share: a browser, the sample's report, and one of names that mean something elsewhere."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright

import evalsql
from evalsql.catalog.measure_names import DEFAULT_MEASURES
from evalsql.report.page.report_data import gather_report
from evalsql.report.page.report_formats import DIGITS, WRITERS
from tests.conftest import SAMPLE, Command, in_process, made_once, new_file, new_warehouse, open_held, write

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
            patch.setattr(running, name, partial(_patient, getattr(running, name)))
        yield running
        running.close()


def _patient(make: Callable[..., Any], **options: Any) -> Any:
    """What waits longer than half a minute before it fails."""
    found = make(**options)
    found.set_default_timeout(PATIENCE)
    return found


def held(path: Path) -> Path:
    """The file, open to the end, so that commands open it at once; but ``sql`` and ``site`` lock the settings."""
    open_held(path)
    return path


@pytest.fixture(scope="session")
def sample_file(sample_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return held(Path(shutil.copy(sample_file, tmp_path_factory.mktemp("sample"))))


@pytest.fixture
def demo(command: Command, sample_file: Path) -> Command:
    """The command on the sample's warehouse, in an empty folder."""
    return lambda *arguments, **options: command(*arguments, "--db", sample_file, **options)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    """Where the sample's warehouse and its report are."""
    folder = tmp_path_factory.mktemp("report")
    held(Path(shutil.copy(sample_file, folder / "evalsql.duckdb")))
    outcome = in_process(folder, ["report", "-o", "report.html", "--with", "roc"], "")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    return folder


@cache
def trec_eval(measure: str) -> dict[str, dict[str, float]]:
    """By run and topic what pytrec_eval says of the sample; 0 where a run has nothing for a topic."""
    with (SAMPLE / "qrels.txt").open() as stream:
        grades = pytrec_eval.parse_qrel(stream)
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {measure})
    found = {}
    for path in sorted((SAMPLE / "runs").glob("*.run")):
        with path.open() as stream:
            values = evaluator.evaluate(pytrec_eval.parse_run(stream))
        found[path.stem] = {topic: next(iter(values.get(topic, {measure: 0.0}).values())) for topic in grades}
    return found


def page_data(text: str) -> dict[str, Any]:
    """What a page's script draws from."""
    found = text.partition('<script type="application/json" id="figures">')[2].partition("</script>")[0]
    return dict(json.loads(found))


@cache
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

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._opened)
        page.context.on("request", lambda request: self.requests.append(request.url))

    def _said(self, message: ConsoleMessage) -> None:
        if not message.text.startswith("Buffering missing file"):  # words of DuckDB's own
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

    def choose(self, **choices: str) -> None:
        for name, value in choices.items():
            self.page.select_option(f"#{name}", value)

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()


Open = Callable[..., Watched]


@pytest.fixture(scope="session")
def pages(browser: Browser) -> dict[bool, list[Watched]]:
    """Pages that no test looks at, by whether they run scripts."""
    return {True: [], False: []}


@pytest.fixture
def opened(browser: Browser, pages: dict[bool, list[Watched]]) -> Iterator[Open]:
    """Opens addresses in pages that are used again, and looks at the end whether any complained."""
    found: list[tuple[bool, Watched]] = []

    def show(path: Path, choice: str = "", *, script: bool = True, width: int = 1200, scheme: str = "light") -> Watched:
        one = pages[script].pop() if pages[script] else Watched(browser.new_page(java_script_enabled=script))
        found.append((script, one))
        one.page.set_viewport_size({"width": width, "height": 740 if width < 500 else 900})
        one.page.emulate_media(media="screen", color_scheme=scheme)  # type: ignore[arg-type]
        one.page.goto("about:blank")
        one.requests.clear()
        one.page.goto(path.as_uri() + choice)
        return one

    yield show
    for script, one in found:
        pages[script].append(one)
    complaints = [one.complaints.copy() for _, one in found]
    for _, one in found:
        one.complaints.clear()
    assert not any(complaints), complaints


@pytest.fixture
def watched(opened: Open, folder: Path) -> Watched:
    """The sample's report."""
    return opened(folder / "report.html")


@pytest.fixture(scope="session")
def nasty() -> Path:
    """Where a warehouse of such names is, and its report in all forms."""
    folder = made_once("nasty", make_nasty)
    held(folder / "evalsql.duckdb")
    return folder


def make_nasty(folder: Path) -> None:
    folder.mkdir()
    documents = [f"{name} {at}" for name in NASTY for at in range(3)]
    with evalsql.open(new_file(folder).rename(folder / "evalsql.duckdb")) as warehouse:
        grades = {document: at % 2 for at, document in enumerate(documents)}
        warehouse.load_qrels(dict.fromkeys(NASTY, grades), NASTY[0])
        for at, name in enumerate(NASTY):
            ranked = {document: float((place * (at + 3)) % 17) for place, document in enumerate(documents)}
            warehouse.load_run(dict.fromkeys(NASTY[: len(NASTY) - at % 2], ranked), name)
        warehouse.report(shown=["roc"], title=NASTY[0], output=folder / "report.html")
        found = gather_report(warehouse, DEFAULT_MEASURES, title=NASTY[0])
        for extension, text in WRITERS.items():
            write(folder / f"report{extension}", text(found, DIGITS))


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Page], None]:
    """Looks at a page by the rules of WCAG 2 at level AA, with axe-core, which npm fetches or has in its cache."""
    folder, package = tmp_path_factory.mktemp("axe"), "axe-core@4.10.3"
    command = ["npm", "install", "--no-save", "--prefer-offline", "--no-audit", "--no-fund", package]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        if os.environ.get("EVALSQL_DEMAND_AXE"):
            raise
        pytest.skip(f"npm cannot fetch {package}: {error}")
    return partial(_look, (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8"))


def _look(axe: str, page: Page) -> None:
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(axe)
    # Each rule that passes tells one element, not thousands.
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    assert found["passes"]
    told = [(each["id"], [node["html"][:160] for node in each["nodes"][:3]]) for each in found["violations"]]
    assert told == [], page.url
