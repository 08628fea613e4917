"""What the page says of doubts: pictures that follow the choice, and the line about them on the first screen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.conftest import in_process
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
    assert any("<circle" in each for each in drawn[0])
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
        told = f"{system} {shares[system]}, {baseline} {shares[baseline]}"
        assert _label(found, "unjudged") == f"Share of unjudged documents: among the first 10 {told}"
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
    marks, lines = "#picture-unjudged line.other", "#picture-places line.other"
    assert (_count(found, marks), _count(found, lines)) == (6, 6 * 4)
    page.fill("#show", "bm25-")
    assert (_count(found, marks), _count(found, lines)) == (1, 4)
    assert page.inner_text("#picture-unjudged .note").endswith("grey 1 other system.")
    page.fill("#show", "")
    page.select_option("#others", "none")
    assert (_count(found, marks), _count(found, lines)) == (0, 0)
    assert _count(found, "#picture-unjudged circle.system") == _count(found, "#picture-unjudged path.baseline") == 1
    assert page.inner_text("#picture-unjudged .note") == "Blue is rerank-large, orange bm25."
    page.select_option("#baseline", "rerank-large")
    assert page.inner_text("#picture-unjudged .note") == "Blue is rerank-large."
    assert found.complaints == []
    page.close()
