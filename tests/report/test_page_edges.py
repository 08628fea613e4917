"""Pages of collections that are small or odd: one run, one topic, systems that are alike, long names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import evalsql
from tests.conftest import in_process, new_file

Rankings = dict[str, dict[str, float]]
LONG = "a_name_with_all_the_hyperparameters_that_anybody_ever_thought_of_trying_"


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens the report of some runs, where document d1 is relevant to each topic."""
    pages = []

    def show(runs: dict[str, Rankings], *, script: bool = True) -> Page:
        with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
            topics = {topic for rankings in runs.values() for topic in rankings}
            warehouse.load_qrels({topic: {"d1": 1, "d2": 0} for topic in sorted(topics)}, "judged")
            for name, rankings in runs.items():
                warehouse.load_run(rankings, name)
        done = in_process(tmp_path, ["report", "-m", "AP,RR", "-o", "report.html"], "")
        assert done.returncode == 0, done.stderr
        page = browser.new_page(viewport={"width": 1280, "height": 900}, java_script_enabled=script)
        pages.append(page)
        page.goto((tmp_path / "report.html").as_uri())
        return page

    yield show
    for page in pages:
        page.close()


@pytest.mark.parametrize("script", [True, False])
def test_systems_with_the_best_mean_together_are_a_tie(opened: Callable[..., Page], script: bool) -> None:
    ranking = {"t1": {"x": 1.0}, "t2": {"x": 1.0}}
    page = opened(dict.fromkeys(("z1", "z2", "z3", "z4", "z5"), ranking), script=script)
    answer = page.inner_text("#answers .answer:first-child")
    assert "A tie" in answer
    assert "AP 0.000, shared by z1, z2, z3 and two others, of 5 systems." in answer
    assert "first" not in answer


@pytest.mark.parametrize("script", [True, False])
def test_first_by_another_measure_is_who_leads_it_alone(opened: Callable[..., Page], script: bool) -> None:
    second = {"t1": {"d1": 2.0, "x": 1.0}, "t2": {"x": 2.0, "d1": 1.0}}
    first = {"t1": {"d1": 2.0, "x": 1.0}, "t2": {"d1": 2.0, "x": 1.0}}
    answer = opened({"first": first, "second": second}, script=script).inner_text("#answers .answer:first-child")
    assert "AP 1.000, first of 2; also first by RR." in answer


@pytest.mark.parametrize("script", [True, False])
def test_one_run_is_not_compared_with_itself(opened: Callable[..., Page], script: bool) -> None:
    page = opened({"only": {"t1": {"d1": 1.0}, "t2": {"d2": 2.0, "d1": 1.0}}}, script=script)
    assert page.inner_text("#topics .sentence") == "There is no other system to compare it with."
    if script:
        assert page.inner_text("#winner h3") == "Mean AP over 2 topics"


def test_the_bar_of_one_topic_is_no_wall(opened: Callable[..., Page]) -> None:
    page = opened({"good": {"t1": {"d1": 2.0, "x": 1.0}}, "bad": {"t1": {"x": 2.0, "d1": 1.0}}})
    assert page.inner_text("#winner h3").endswith("mean over 1 topic")
    bar = page.locator("#topics-body rect.win").bounding_box()
    chart = page.locator("#topics-body svg.chart").bounding_box()
    assert bar
    assert chart
    assert bar["width"] < chart["width"] / 8


def test_long_names_that_begin_alike_differ_on_a_desktop(opened: Callable[..., Page]) -> None:
    names = [LONG + end for end in ("bm25", "dense")]
    ranking = {"t1": {"d1": 2.0, "x": 1.0}}
    page = opened({names[0]: ranking, names[1]: {"t1": {"x": 2.0, "d1": 1.0}}})
    for row in page.locator("#winner tbody tr").all():
        cell, tail = row.locator("th").bounding_box(), row.locator("th .cut > span:last-child").bounding_box()
        assert cell
        assert tail
        assert tail["x"] + tail["width"] <= cell["x"] + cell["width"] + 1


def test_names_stand_below_curves_and_not_across_them(opened: Callable[..., Page]) -> None:
    page = opened({"good": {"t1": {"d1": 2.0, "x": 1.0}}, "bad": {"t1": {"x": 2.0, "d1": 1.0}}})
    assert "good" not in page.inner_text("#precision-recall .plot")
    assert "Blue is good, orange bad." in page.inner_text("#precision-recall .note")
