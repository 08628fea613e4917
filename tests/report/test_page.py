"""The report as a page, in a browser: what it shows, what it does when asked, what it leaves alone."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from scipy.stats import kendalltau

import evalsql
from tests.conftest import in_process, new_file

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Names that mean something to HTML, JavaScript, Markdown, LaTeX and spreadsheets.
NASTY = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "**bold** | _it_ [x](y)",
    r"100% \alpha $x^2$ {a}_b & #1 ~",
    "=1+1",
    "'\";--",
)
CHARTS = ("differences", "topics", "pr", "pr_levels", "roc", "distribution", "tap", "agreement", "unjudged")

if not BROWSER and not os.environ.get("EVALSQL_DEMAND_BROWSER"):
    pytest.skip("no Chromium is installed (Debian's package chromium)", allow_module_level=True)

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright  # noqa: E402


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    """Where the sample's warehouse and its report are."""
    folder = tmp_path_factory.mktemp("report")
    shutil.copy(sample_file, folder / "evalsql.duckdb")
    outcome = in_process(folder, ["report", "-o", "report.html"], "")
    assert (outcome.returncode, outcome.stdout) == (0, "")
    return folder


class Watched:
    """A page with everything it asked for and complained of."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", self._opened)
        page.goto(path.as_uri())

    def _said(self, message: ConsoleMessage) -> None:
        self.complaints.append(message.text)

    def _opened(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def rows(self) -> list[str]:
        """Runs of the leaderboard that can be seen, in order."""
        return [
            row.get_attribute("data-run") or ""
            for row in self.page.query_selector_all("#leaderboard tbody tr")
            if row.is_visible()
        ]

    def drawn(self, chart: str) -> list[dict[str, Any]]:
        """The rows that a chart is drawn from, once it is drawn."""
        self.page.query_selector(f"[data-chart={chart}]").scroll_into_view_if_needed()  # type: ignore[union-attr]
        self.page.wait_for_selector(f"[data-chart={chart}][data-drawn] svg")
        self.page.wait_for_timeout(150)
        return list(self.page.evaluate(f"document.querySelector('[data-chart={chart}]').view.data('source_0')"))


@pytest.fixture
def watched(browser: Browser, folder: Path) -> Iterator[Watched]:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    yield Watched(page, folder / "report.html")
    page.close()


def asked(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    outcome = in_process(folder, [*arguments, "--format", "json"], "")
    assert outcome.returncode == 0, outcome.stderr
    return list(json.loads(outcome.stdout))


def test_all_charts_are_drawn_in_silence_and_without_a_network(watched: Watched, folder: Path) -> None:
    for chart in CHARTS:
        assert watched.drawn(chart), chart
    assert watched.complaints == []
    assert watched.requests == [(folder / "report.html").as_uri()]


def test_the_leaderboard_has_the_figures_of_the_command_line(watched: Watched, folder: Path) -> None:
    text = in_process(folder, ["leaderboard", "--format", "csv"], "").stdout
    board = {row["run"]: row for row in csv.DictReader(io.StringIO(text))}
    assert watched.rows() == list(board)
    heads = [head.inner_text().split()[0] for head in watched.page.query_selector_all("#leaderboard thead th")][2:]
    assert heads == [name for name in next(iter(board.values())) if name not in ("qrels", "run")]
    for row in watched.page.query_selector_all("#leaderboard tbody tr"):
        cells = row.query_selector_all("td.number")
        for name, cell in zip(heads, cells, strict=True):
            value = board[row.get_attribute("data-run") or ""][name]
            assert cell.get_attribute("data-value") == value
            assert cell.query_selector("span").inner_text() == f"{float(value):.4f}"  # type: ignore[union-attr]


def test_intervals_and_significance_are_those_of_the_statistics(watched: Watched, folder: Path) -> None:
    pairs = asked(folder, "compare", "bm25", "--all-pairs", "-m", "AP", "--family", "measure")
    worse: dict[str, set[str]] = {}
    for pair in pairs:
        if pair["p_corrected"] < 0.05:
            better, other = (pair["run"], pair["baseline"])[:: 1 if pair["difference"] > 0 else -1]
            worse.setdefault(better, set()).add(other)
    labels = {run: "abcdefgh"[at] for at, run in enumerate(watched.rows())}
    for row in watched.page.query_selector_all("#leaderboard tbody tr"):
        run = row.get_attribute("data-run") or ""
        cell = row.query_selector_all("td.number")[1]
        marks = cell.query_selector("sup, details")
        found = set(re.findall(r"(?<![a-z])[a-h](?![a-z])", marks.text_content() or "")) if marks else set()
        assert found == {labels[other] for other in worse.get(run, ())}, run
        low, high = re.findall(r"-?\d+\.\d+", cell.query_selector(".interval").inner_text())  # type: ignore[union-attr]
        assert float(low) < float(cell.get_attribute("data-value") or "") < float(high)


def test_rows_sort_by_mouse_and_by_keyboard(watched: Watched, folder: Path) -> None:
    board = asked(folder, "leaderboard")

    def falling(name: str) -> list[float]:
        return sorted((row[name] for row in board), reverse=True)

    def shown(name: str) -> list[float]:
        values = {row["run"]: row[name] for row in board}
        return [values[run] for run in watched.rows()]

    head = watched.page.get_by_role("button", name="P@10")
    head.click()
    assert shown("P@10") == falling("P@10")
    head.focus()
    watched.page.keyboard.press("Enter")
    assert shown("P@10") == falling("P@10")[::-1]
    assert watched.page.query_selector("th[aria-sort=ascending]").inner_text().startswith("P@10")  # type: ignore[union-attr]
    watched.page.get_by_role("button", name="run").click()
    assert watched.rows() == sorted(row["run"] for row in board)
    assert watched.complaints == []


def test_rows_are_filtered_by_name(watched: Watched) -> None:
    everyone = watched.rows()
    watched.page.get_by_label("filter").fill("BM25")
    assert watched.rows() == [run for run in everyone if "bm25" in run]
    assert watched.page.get_by_role("status").inner_text() == "2 of 8 runs"
    watched.page.get_by_label("filter").fill("")
    assert watched.rows() == everyone


def test_line_charts_follow_the_runs_that_are_ticked(watched: Watched) -> None:
    assert {row["run"] for row in watched.drawn("pr")} == set(watched.rows())
    watched.page.get_by_label("draw random").uncheck()
    assert "random" not in {row["run"] for row in watched.drawn("pr")}
    assert {row["run"] for row in watched.drawn("unjudged")} == set(watched.rows()) - {"random"}


def test_differences_are_those_to_the_baseline_chosen(watched: Watched, folder: Path) -> None:
    watched.drawn("differences")
    watched.page.select_option("#differences-measure", "AP")
    watched.page.select_option("#differences-run", "dense")
    watched.page.select_option("#differences-baseline", "bm25")
    values = {(row["run"], row["topic"]): row["value"] for row in asked(folder, "topics", "dense", "bm25", "-m", "AP")}
    found = {row["topic"]: row["difference"] for row in watched.drawn("differences")}
    assert len(found) == 40
    for topic, difference in found.items():
        assert difference == pytest.approx(values["dense", topic] - values["bm25", topic], abs=1e-15)


def test_charts_have_the_figures_of_the_command_line(watched: Watched, folder: Path) -> None:
    topics = {(row["run"], row["topic"]): row["value"] for row in asked(folder, "topics", "-m", "nDCG@10")}
    assert {(row["run"], row["topic"]): row["value"] for row in watched.drawn("topics")} == topics
    curve = {(row["run"], row["recall"]): row["precision"] for row in asked(folder, "curve", "pr", "*")}
    assert {(row["run"], row["recall"]): row["precision"] for row in watched.drawn("pr")} == curve
    points = {(row["run"], row["fpr"], row["tpr"]) for row in asked(folder, "curve", "roc", "*")}
    found = {(row["run"], row["fpr"], row["tpr"]) for row in watched.drawn("roc")}
    assert found <= points
    for name, relation in (("unjudged", "unjudged_by_rank"), ("tap", "tap_steps()")):
        rows = asked(folder, "sql", f"select * exclude (qrels) from {relation}")
        drawn = [{key: row[key] for key in rows[0]} for row in watched.drawn(name)]
        assert len(drawn) == len(rows)
        assert all(row in rows for row in drawn), name
    for box in watched.drawn("distribution"):
        values = [value for (run, _), value in topics.items() if run == box["run"]]
        numbers = [box[name] for name in ("least", "lower_quartile", "median", "upper_quartile", "greatest")]
        assert numbers == pytest.approx(numpy.quantile(values, (0, 0.25, 0.5, 0.75, 1)), abs=1e-12)
    board = asked(folder, "leaderboard")
    for pair in watched.drawn("agreement"):
        columns = ([round(row[pair[side]], 12) for row in board] for side in ("measure", "other"))
        assert pair["tau_b"] == pytest.approx(kendalltau(*columns).statistic, abs=1e-9)


def test_tables_have_the_figures_of_the_command_line(watched: Watched, folder: Path) -> None:
    table = watched.page.query_selector("#precision-recall details.data table")
    cells = [row.query_selector_all("td") for row in table.query_selector_all("tbody tr")]  # type: ignore[union-attr]
    found = {line[0].text_content(): [cell.text_content() for cell in line[1:]] for line in cells}
    curve = {(row["run"], row["recall"]): row["precision"] for row in asked(folder, "curve", "pr", "*")}
    assert found == {run: [f"{curve[run, at / 10]:.4f}" for at in range(11)] for run in {run for run, _ in curve}}
    sums = asked(folder, "sql", "select file, sha256 from files")
    told = watched.page.query_selector("#provenance").inner_text()  # type: ignore[union-attr]
    assert all(row["sha256"] in told and row["file"] in told for row in sums)
    assert "tfidf misses 1 of 40 topics" in watched.page.query_selector(".notices").inner_text()  # type: ignore[union-attr]


def test_dark_light_and_print(browser: Browser, folder: Path) -> None:
    backgrounds = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto((folder / "report.html").as_uri())
        backgrounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert backgrounds == ["rgb(255, 255, 255)", "rgb(21, 25, 30)"]
    page = browser.new_page()
    page.goto((folder / "report.html").as_uri())
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert not page.is_visible("#filter")
    assert page.is_visible("#leaderboard table")
    page.close()


def test_text_and_tables_read_without_javascript(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "report.html").as_uri())
    assert "rerank-large" in page.inner_text("#leaderboard table")
    assert page.is_visible("noscript")
    page.click("#unjudged summary")
    assert "0.0" in page.inner_text("#unjudged table")
    context.close()


def test_controls_have_names_and_charts_descriptions(watched: Watched) -> None:
    for control in watched.page.query_selector_all("input, select"):
        assert control.evaluate("each => each.labels.length > 0 || each.getAttribute('aria-label') !== null")
    for chart in watched.page.query_selector_all(".chart"):
        assert len(chart.get_attribute("aria-label") or "") > 20
    assert watched.page.evaluate("document.documentElement.lang") == "en"
    heads = watched.page.query_selector_all("thead th")
    assert all(head.get_attribute("scope") == "col" for head in heads)


@pytest.fixture(scope="module")
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


def test_names_are_text_on_the_page(browser: Browser, nasty: Path) -> None:
    outcome = in_process(nasty, ["report", "-o", "report.html"], "")
    assert outcome.returncode == 0, outcome.stderr
    page = browser.new_page()
    found = Watched(page, nasty / "report.html")
    assert sorted(found.rows()) == sorted(NASTY)
    for name in NASTY:
        assert name in page.inner_text("#leaderboard table")
        assert name in page.inner_text("#differences-run")
    assert NASTY[0] in page.inner_text("h1")
    for chart in CHARTS:
        found.drawn(chart)
        page.hover(f"[data-chart={chart}] svg")
    assert "alert(1)" in (page.text_content("[data-chart=topics] svg") or "")
    assert page.query_selector("img") is None
    assert found.complaints == []
    assert found.requests == [(nasty / "report.html").as_uri()]
    page.close()


def test_names_are_text_in_markdown_latex_and_json(nasty: Path) -> None:
    for extension in ("md", "tex", "json"):
        assert in_process(nasty, ["report", "-o", f"report.{extension}"], "").returncode == 0
    markdown = (nasty / "report.md").read_text()
    assert "<script>" not in markdown.replace(r"\<", "")
    assert r"\*\*bold\*\* \| \_it\_ \[x\]\(y\)" in markdown
    latex = (nasty / "report.tex").read_text()
    assert r"100\% \textbackslash{}alpha \$x\textasciicircum{}2\$ \{a\}\_b \& \#1 \textasciitilde{}" in latex
    content = json.loads((nasty / "report.json").read_text())
    assert {row["run"] for row in content["leaderboard"]} == set(NASTY)


def test_126_systems_and_50_topics_stay_below_5_megabytes(tmp_path: Path) -> None:
    runs = {
        f"system {at:03}": {
            f"t{topic}": [f"d{(at * place + topic) % 97}" for place in range(20)] for topic in range(50)
        }
        for at in range(126)
    }
    with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels({f"t{topic}": {f"d{at}": at % 3 for at in range(97)} for topic in range(50)}, "judged")
        for name, lists in runs.items():
            warehouse.load_run(
                {t: {d: -float(at) for at, d in reversed(list(enumerate(ds)))} for t, ds in lists.items()}, name
            )
    assert in_process(tmp_path, ["report", "-o", "report.html"], "").returncode == 0
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
