"""What the page says of doubts: pictures that follow the choice, and the line about them on the first screen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import evalsql
from tests.conftest import in_process, new_file
from tests.report.test_page import Watched

PICTURES = "[...document.querySelectorAll('#doubts .picture')].map((each) => each.outerHTML)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    folder = tmp_path_factory.mktemp("doubts")
    shutil.copy(sample_file, folder / "evalsql.duckdb")
    assert in_process(folder, ["report", "-o", "report.html"], "").returncode == 0
    return folder


def _label(found: Watched, name: str) -> str:
    return found.page.get_attribute(f"#picture-{name} svg", "aria-label") or ""


def _count(found: Watched, selector: str) -> int:
    return len(found.page.query_selector_all(selector))


def test_pictures_of_doubts_are_the_same_with_and_without_a_script(browser: Browser, folder: Path) -> None:
    drawn = []
    for has_script in (True, False):
        context = browser.new_context(java_script_enabled=has_script)
        page = context.new_page()
        page.goto((folder / "report.html").as_uri())
        drawn.append(page.evaluate(PICTURES))
        context.close()
    assert any("#mark-system" in each for each in drawn[0])
    assert drawn[0] == drawn[1]


def test_pictures_of_doubts_follow_the_choice(browser: Browser, folder: Path) -> None:
    query = "select run, unjudged from unjudged_by_rank where k = 10"
    rows = json.loads(in_process(folder, ["sql", query, "--format", "json"], "").stdout)
    shares = {row["run"]: f"{row['unjudged'] * 100:.0f}%" for row in rows}
    board = json.loads(in_process(folder, ["leaderboard", "--format", "json"], "").stdout)

    def place(run: str, measure: str) -> int:
        values: dict[str, float] = {row["run"]: round(row[measure], 12) for row in board}
        return 1 + sum(value > values[run] for value in values.values())

    page = browser.new_page()
    found = Watched(page, folder / "report.html")
    for system, baseline in (("dense", "random"), ("tfidf", "dense")):
        page.select_option("#system", system)
        page.select_option("#baseline", baseline)
        told = "; ".join(f"{run} {shares[run]} of the first 10" for run in (system, baseline))
        assert _label(found, "unjudged") == f"Share of unjudged documents: {told}"
        for run in (system, baseline):
            names = ("nDCG@10", "AP", "P@10", "R@100", "RR")
            *first, last = (str(place(run, name)) for name in names)
            assert f"{run} {', '.join(first)} and {last}" in _label(found, "places")
        said = page.inner_text("#picture-places .note")
        assert said == f"Blue is {system}, orange {baseline}, grey 6 other systems."
    assert found.complaints == []
    page.close()


def test_pictures_of_doubts_are_filtered(browser: Browser, folder: Path) -> None:
    page = browser.new_page()
    found = Watched(page, folder / "report.html")
    mark = "#picture-unjudged use[href='#mark-{}']:not([hidden])"
    marks, lines = mark.format("other"), "#picture-places .other:not([hidden]) line"
    assert (_count(found, marks), _count(found, lines)) == (6, 6 * 4)
    page.fill("#show", "bm25-")
    assert (_count(found, marks), _count(found, lines)) == (1, 4)
    assert page.inner_text("#picture-unjudged .note").endswith("grey 1 other system.")
    page.fill("#show", "")
    page.select_option("#others", "none")
    assert (_count(found, marks), _count(found, lines)) == (0, 0)
    assert _count(found, mark.format("system")) == _count(found, mark.format("baseline")) == 1
    assert page.inner_text("#picture-unjudged .note") == "Blue is rerank-large, orange bm25."
    page.select_option("#baseline", "rerank-large")
    assert page.inner_text("#picture-unjudged .note") == "Blue is rerank-large."
    assert found.complaints == []
    page.close()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_the_first_screen_names_the_gravest_doubt(browser: Browser, folder: Path, width: int, height: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": height})
    found = Watched(page, folder / "report.html", "#measure=AP")
    line = page.locator(".doubted")
    box = line.bounding_box()
    assert box
    assert box["y"] + box["height"] <= height
    summary = page.inner_text("#doubts .sentence").removesuffix(".")
    marks = page.locator("#doubts .look").count()
    assert marks == 2
    first = page.inner_text("#doubts li:first-child b").removesuffix(".")
    assert (summary, first) == ("Two things of six deserve a look", "Unjudged documents")
    assert (
        line.inner_text() == "\u25b2 Two things of six deserve a look, first of all unjudged documents. What to doubt"
    )
    line.get_by_role("link").click()
    assert page.evaluate("Math.abs(document.getElementById('doubts').getBoundingClientRect().top)") < height / 2
    assert page.url.endswith("#measure=AP")
    assert page.input_value("#measure") == "AP"
    assert found.complaints == []
    page.close()


def test_ids_that_do_not_match_are_the_gravest(browser: Browser, tmp_path: Path) -> None:
    with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels({"1": {f"d{at}": at % 2 for at in range(20)}, "2": {"d1": 1, "d2": 0}}, "judged")
        warehouse.load_run({"1": {f"d{at}": -float(at) for at in range(20)}, "2": {"d1": 1.0}}, "right")
        with pytest.warns(evalsql.InputWarning, match="none of 20"):
            warehouse.load_run({"1": {f"D-{at}.txt": -float(at) for at in range(20)}}, "wrong")
    assert in_process(tmp_path, ["report", "-o", "report.html"], "").returncode == 0
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    assert "first of all ids that do not match." in page.inner_text(".doubted")
    page.close()


def test_nothing_to_doubt_is_no_line(browser: Browser, tmp_path: Path, folder: Path) -> None:
    with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels({"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}, "judged")
        warehouse.load_run({"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}, "right")
        warehouse.load_run({"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0, "b": 2.0}}, "wrong")
    assert in_process(tmp_path, ["report", "-o", "report.html"], "").returncode == 0
    assert in_process(folder, ["report", "--without", "doubts", "-o", "without.html"], "").returncode == 0
    for path in (tmp_path / "report.html", folder / "without.html"):
        page = browser.new_page()
        page.goto(path.as_uri())
        assert page.locator("#doubts .look, .doubted").count() == 0
        page.close()
