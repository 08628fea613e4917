"""The report as a page, in a browser: what it shows, what it does when asked, what it leaves alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page
from scipy.stats import kendalltau

import evalsql
from tests.conftest import csv_rows, in_process, new_file, write


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
        return [
            row.get_attribute("data-run") or ""
            for row in self.page.query_selector_all(f"{of} tbody tr")
            if row.is_visible()
        ]

    def cells(self, run: str) -> list[str]:
        """What the winner chart says of a system: place, name, mean, difference, won, tied, lost."""
        for row in self.page.query_selector_all("#winner tbody tr"):
            if row.get_attribute("data-run") == run:
                texts = [cell.inner_text().strip() for cell in row.query_selector_all("td, th")]
                return [text.replace("\u2212", "-") for text in [*texts[:2], *texts[3:]]]
        raise AssertionError(run)

    def topics(self) -> dict[str, str]:
        """The topics that are rows, and the difference on each."""
        found = self.page.query_selector_all("#topics-body tr.row")
        return {
            row.get_attribute("data-topic") or "": row.query_selector_all("td")[3].text_content() or "" for row in found
        }


@pytest.fixture
def watched(browser: Browser, folder: Path) -> Iterator[Watched]:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    yield Watched(page, folder / "report.html")
    page.close()


def asked(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    outcome = in_process(folder, [*arguments, "--format", "json"], "")
    assert outcome.returncode == 0, outcome.stderr
    return list(json.loads(outcome.stdout))


def three(value: float) -> str:
    text = f"{value:+.3f}"
    return text[1:] if not float(text) else text


def test_all_is_drawn_in_silence_and_without_a_network(watched: Watched, folder: Path) -> None:
    watched.page.click("#more summary")
    for place in ("#winner svg", "#topics-body svg", "#doubts svg", "#precision-recall svg", "#more-curves svg"):
        assert watched.page.query_selector_all(place), place
    assert watched.complaints == []
    assert watched.requests == [(folder / "report.html").as_uri()]


def test_the_table_of_all_numbers_has_those_of_the_command_line(watched: Watched, folder: Path) -> None:
    text = in_process(folder, ["leaderboard", "--format", "csv"], "").stdout
    board = {row["run"]: row for row in csv_rows(text)}
    assert watched.rows("#board") == watched.rows() == list(board)
    heads = [head.inner_text().split()[0] for head in watched.page.query_selector_all("#board thead th")][1:]
    assert heads == [name for name in next(iter(board.values())) if name not in ("qrels", "run")]
    data = json.loads(watched.page.text_content("#figures") or "")
    for row in watched.page.query_selector_all("#board tbody tr"):
        run = row.get_attribute("data-run") or ""
        for name, cell in zip(heads, row.query_selector_all("td.number"), strict=True):
            assert data["means"][name][data["runs"].index(run)] == float(board[run][name])
            assert cell.inner_text() == f"{float(board[run][name]):.3f}"


@pytest.mark.parametrize(("baseline", "measure"), [("bm25", "nDCG@10"), ("dense", "AP"), ("rerank-large", "P@10")])
def test_systems_stand_beside_the_baseline_as_compare_has_them(
    watched: Watched, folder: Path, baseline: str, measure: str
) -> None:
    watched.page.select_option("#measure", measure)
    watched.page.select_option("#baseline", baseline)
    pairs = asked(folder, "compare", baseline, "-m", measure)
    assert len(pairs) == 7
    for pair in pairs:
        _, _, mean, difference, *counts = watched.cells(pair["run"])
        assert (mean, difference) == (f"{pair['mean']:.3f}", three(pair["difference"]))
        assert counts == [str(pair[name]) for name in ("wins", "ties", "losses")]
        picture = watched.page.query_selector(f"tr[data-run='{pair['run']}'] svg")
        told = (picture.get_attribute("aria-label") or "").replace("\u2212", "-")  # type: ignore[union-attr]
        assert told.endswith(", sure" if pair["p_corrected"] < 0.05 else ", not sure"), told
        assert f"{three(pair['low'])} to {three(pair['high'])}" in told
        # The thin line is wider than the interval at 95%, and leaves the baseline out just where that is sure.
        base, wide = (
            [float((line.get_attribute(end) or "0").rstrip("%")) for end in ("x1", "x2")]
            for line in (picture.query_selector(".zero"), picture.query_selector(".wide"))  # type: ignore[union-attr]
            if line
        )
        assert (wide[0] <= base[0] <= wide[1]) == (pair["p_corrected"] >= 0.05)


def test_the_answers_are_the_same_with_and_without_a_script(browser: Browser, watched: Watched, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "report.html").as_uri())
    still = " ".join(page.inner_text("#answers").split())
    context.close()
    assert still == " ".join(watched.page.inner_text("#answers").split())
    assert "rerank-large nDCG@10 0.8" in still
    assert "Is it sure? Yes, over the baseline 95% interval +" in still


def test_rows_sort_by_mouse_and_by_keyboard(watched: Watched, folder: Path) -> None:
    board = asked(folder, "leaderboard")

    def shown(name: str) -> list[float]:
        values = {row["run"]: row[name] for row in board}
        return [values[run] for run in watched.rows("#board")]

    falling = sorted((row["P@10"] for row in board), reverse=True)
    head = watched.page.locator("#board").get_by_role("button", name="P@10")
    head.click()
    assert shown("P@10") == falling
    head.focus()
    watched.page.keyboard.press("Enter")
    assert shown("P@10") == falling[::-1]
    watched.page.locator("#winner").get_by_role("button", name="system").first.click()
    assert watched.rows() == sorted(row["run"] for row in board)
    assert watched.complaints == []


def test_the_filter_filters_charts_tables_and_ticks(watched: Watched) -> None:
    everyone = watched.rows()
    ticks = len(watched.page.query_selector_all("#topics-body > table tr.row:first-child .tick"))
    assert ticks == len(everyone) - 2
    watched.page.locator("#show").fill("BM25")
    assert watched.rows() == watched.rows("#board") == [run for run in everyone if "bm25" in run]
    assert watched.page.get_by_role("status").inner_text() == "2 of 8 systems"
    assert len(watched.page.query_selector_all("#topics-body > table tr.row:first-child .tick")) == 1
    assert len(watched.page.query_selector_all("#precision-recall polyline")) == 3  # system and baseline stay
    watched.page.locator("#show").fill("")
    assert watched.rows() == everyone
    watched.page.locator("#others").select_option("none")
    assert not watched.page.query_selector_all("#topics-body .tick")
    assert len(watched.page.query_selector_all("#precision-recall polyline")) == 2


def test_topics_lost_are_those_of_the_command_line(watched: Watched, folder: Path) -> None:
    watched.page.select_option("#measure", "AP")
    watched.page.select_option("#system", "dense")
    watched.page.select_option("#baseline", "bm25")
    values = {(row["run"], row["topic"]): row["value"] for row in asked(folder, "topics", "dense", "bm25", "-m", "AP")}
    apart = {topic: values["dense", topic] - values["bm25", topic] for run, topic in values if run == "dense"}
    assert {topic: text.replace("\u2212", "-") for topic, text in watched.topics().items()} == {
        topic: three(difference) for topic, difference in apart.items()
    }
    lost = sorted((topic for topic in apart if apart[topic] < 0), key=lambda topic: apart[topic])
    sentence = watched.page.inner_text("#topics-body .sentence")
    first = f"{lost[0]}, {lost[1]} and {lost[2]}"
    assert sentence == f"dense loses to bm25 on {len(lost)} of {len(apart)} topics, most on {first}."


def test_a_topic_opens_its_documents_and_the_back_button_closes_it(watched: Watched, folder: Path) -> None:
    page = watched.page
    topic = next(iter(watched.topics()))
    page.locator(f"tr[data-topic='{topic}']").get_by_role("button", name="documents").click()
    assert f"topic={topic}" in page.url
    for run, other, side in (("rerank-large", "bm25", 0), ("bm25", "rerank-large", 1)):
        rows = [row for row in asked(folder, "explain", run, topic, "-m", "nDCG@10", "--depth", "20") if row["rank"]]
        shown = page.query_selector_all(".side table")[side].query_selector_all("tbody tr")
        found = [[cell.inner_text() for cell in row.query_selector_all("td")] for row in shown]
        assert [cells[2] for cells in found] == [row["document"] for row in rows][:20]
        assert [cells[1].replace("\u2212", "-") for cells in found] == [
            "?" if row["grade"] is None else str(row["grade"]) for row in rows
        ][:20]
        assert [cells[4] for cells in found] == [f"{row['contribution']:.3f}" for row in rows][:20]
        elsewhere = {
            row["document"]: row["rank"]
            for row in asked(folder, "explain", other, topic, "-m", "nDCG@10", "--depth", "1000")
        }
        for cells in found:
            assert cells[5] in ("\u2013", str(elsewhere.get(cells[2])))
    page.go_back()
    assert not page.query_selector(".side")
    page.go_forward()
    assert page.query_selector(".side")
    address = page.url
    page.reload()
    assert page.url == address
    assert page.query_selector(".side")
    assert watched.complaints == []


def test_the_address_keeps_the_choice(browser: Browser, folder: Path) -> None:
    page = browser.new_page()
    found = Watched(page, folder / "report.html", "#measure=AP&baseline=dense&system=tfidf&show=r&view=mean")
    assert [page.input_value(f"#{name}") for name in ("measure", "baseline", "system", "show")] == [
        "AP",
        "dense",
        "tfidf",
        "r",
    ]
    assert all("r" in run for run in found.rows())
    assert "Mean AP over 40 topics" in page.inner_text("#winner")
    assert "tfidf loses to dense" in page.inner_text("#topics-body")
    page.select_option("#baseline", "bm25")
    assert "baseline=bm25" not in page.url  # it is the usual one
    page.go_back()
    assert page.input_value("#baseline") == "dense"
    assert found.complaints == []
    page.close()


def test_curves_and_doubts_have_the_figures_of_the_command_line(watched: Watched, folder: Path) -> None:
    data = json.loads(watched.page.inner_text("#figures") or watched.page.text_content("#figures") or "")
    runs = data["runs"]
    curve = {(row["run"], row["recall"]): row["precision"] for row in asked(folder, "curve", "pr", "*")}
    found = {(runs[int(at)], x): y for at, points in data["curves"]["pr"].items() for x, y in points}
    assert found == pytest.approx(curve, rel=1e-6)
    topics = {(row["run"], row["topic"]): row["value"] for row in asked(folder, "topics", "-m", "nDCG@10")}
    for at, box in data["curves"]["boxes"]["nDCG@10"].items():
        values = [value for (run, _), value in topics.items() if run == runs[int(at)]]
        assert box == pytest.approx(numpy.quantile(values, (0, 0.25, 0.5, 0.75, 1)), abs=1e-12)
    doubted = watched.page.inner_text("#doubts")
    assert "tfidf misses 1 of 40 topics" in doubted
    shares = asked(
        folder, "sql", "select run, unjudged from unjudged_by_rank where k = 10 order by unjudged desc limit 1"
    )
    assert f"Most unjudged among the first 10: {shares[0]['run']}, {shares[0]['unjudged'] * 100:.0f}%." in doubted
    board = asked(folder, "leaderboard")
    tau = kendalltau(*([round(row[name], 12) for row in board] for name in ("nDCG@10", "AP"))).statistic
    assert f"AP {tau:.2f}" in doubted
    sums = asked(folder, "sql", "select file, sha256 from files")
    told = watched.page.text_content("#data") or ""
    assert all(row["sha256"] in told and row["file"] in told for row in sums)


def test_dark_light_and_print(browser: Browser, folder: Path) -> None:
    backgrounds = []
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto((folder / "report.html").as_uri())
        backgrounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.close()
    assert backgrounds == ["rgb(255, 255, 255)", "rgb(20, 24, 28)"]
    page = browser.new_page()
    page.goto((folder / "report.html").as_uri())
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert not page.is_visible("#show")
    assert page.is_visible("#winner table")
    page.close()


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, folder: Path, nasty: Path, width: int) -> None:
    in_process(nasty, ["report", "-o", "wide.html"], "")
    for path in (folder / "report.html", nasty / "wide.html"):
        page = browser.new_page(viewport={"width": width, "height": 800})
        found = Watched(page, path)
        page.locator("tr.row button").first.click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert found.complaints == []
        page.close()


def test_text_and_tables_read_without_javascript(browser: Browser, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "report.html").as_uri())
    assert "rerank-large" in page.inner_text("#winner table")
    assert "T01" in page.inner_text("#topics table")
    assert page.is_visible("noscript")
    assert not page.is_visible("#controls")
    page.click("#more > summary")
    page.click("#more details:last-child summary")
    assert "0.0" in page.inner_text("#more details:last-child table")
    context.close()


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
            lines = [
                f"{t} Q0 {d} 0 {score} tag"
                for t, ds in lists.items()
                for d, score in {d: -float(at) for at, d in reversed(list(enumerate(ds)))}.items()
            ]
            write(tmp_path / "runs" / f"{name}.run", "\n".join(lines))
        assert len(warehouse.load_runs(str(tmp_path / "runs" / "*.run"))) == 126
    assert in_process(tmp_path, ["report", "-o", "report.html"], "").returncode == 0
    assert (tmp_path / "report.html").stat().st_size < 5_000_000
