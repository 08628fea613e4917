"""Topics on which two systems have the same value: the page calls them ties, never losses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import evalsql
from evalsql.report.page.verdicts import difference_text
from tests.conftest import in_process, new_file

# The rank of the one relevant document by topic, in the system and in the baseline.
RANKS = {"t1": (2, 1), "t2": (1, 1), "t3": (3, 3), "t4": (1, 4), "t5": (501, 500), "t6": (1, 4)}
LOST, TIED, WON = ["t1", "t5"], ["t2", "t3"], ["t4", "t6"]
SENTENCE = "good loses to usual on 2 of 6 topics, most on t1 and t5. It ties on 2 topics: t2 and t3."


def _ranking(rank: int) -> dict[str, float]:
    return {("relevant" if at == rank else f"d{at}"): float(-at) for at in range(1, 510)}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tied")
    with evalsql.open(new_file(folder).rename(folder / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels({topic: {"relevant": 1, "d900": 0} for topic in RANKS}, "judged")
        for at, name in enumerate(("good", "usual")):
            warehouse.load_run({topic: _ranking(ranks[at]) for topic, ranks in RANKS.items()}, name)
    done = in_process(folder, ["report", "-m", "AP", "--baseline", "usual", "-o", "report.html"], "")
    assert done.returncode == 0, done.stderr
    return folder / "report.html"


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(path.as_uri())
    yield page
    page.close()


def _groups(page: Page) -> dict[str, list[str]]:
    """By heading the topics below it."""
    return dict(
        page.evaluate(
            """[...document.querySelectorAll('#topics-body table.rows')].map((table) => {
              let before = table.previousElementSibling;
              while (!before.matches('summary, .over')) before = before.previousElementSibling;
              return [before.querySelector('h3')?.textContent ?? before.textContent,
                [...table.querySelectorAll('tr.row')].map((row) => row.dataset.topic)];
            })"""
        )
    )


def test_topics_stand_under_what_happened_on_them(page: Page) -> None:
    assert _groups(page) == {
        "The 2 topics it loses on": LOST,
        "The 2 topics it ties on": TIED,
        "The 2 topics it wins on": WON,
    }
    assert page.inner_text("#topics-body .sentence") == SENTENCE
    chart = page.text_content("#topics-body svg.chart") or ""
    for words in ("loses on 2", "ties on 2", "wins on 2"):
        assert words in chart


def test_an_opened_tie_is_called_a_tie(page: Page) -> None:
    page.evaluate("location.hash = '#topic=t3'")
    page.wait_for_selector("tr.opened")
    assert _groups(page) == {
        "Topic t3, which it ties on": ["t3"],
        "The 2 topics it loses on": LOST,
        "The 2 topics it ties on": ["t2"],
        "The 2 topics it wins on": WON,
    }


def test_ties_are_told_where_nothing_is_lost(browser: Browser, path: Path) -> None:
    asked = ["report", "-m", "R@3", "--baseline", "usual", "-o", "none.html"]
    assert in_process(path.parent, asked, "").returncode == 0
    page = browser.new_page()
    page.goto((path.parent / "none.html").as_uri())
    told = "good loses to usual on none of 6 topics. It ties on 4 topics: t1, t2, t3 and t5."
    assert page.inner_text("#topics-body .sentence") == told
    assert _groups(page) == {"The 4 topics it ties on": ["t1", "t2", "t3", "t5"], "The 2 topics it wins on": WON}
    page.close()


def test_without_a_script_ties_are_told_too(browser: Browser, path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.inner_text("#topics-body .sentence") == SENTENCE
    rows = [
        [cell.inner_text() for cell in row.query_selector_all("th, td")]
        for row in page.query_selector_all("#topics-body tbody tr")
    ]
    assert [(row[0], row[-1]) for row in rows] == [
        *((topic, "lost") for topic in LOST),
        *((topic, "tied") for topic in TIED),
        *((topic, "won") for topic in WON),
    ]
    context.close()


def test_a_loss_never_reads_as_no_difference(page: Page) -> None:
    shown = page.inner_text("tr[data-topic=t5] td:last-of-type >> xpath=preceding-sibling::td[1]")
    assert shown == difference_text(1 / 501 - 1 / 500, 3) == "\u22120.000004"
    assert [difference_text(value, 3) for value in (0.0, 0.0004, -0.25)] == ["0.000", "+0.0004", "\u22120.250"]


def test_words_on_few_losses_stand_free_of_bars(browser: Browser, tmp_path: Path) -> None:
    ranks = {f"t{at:02}": (1, 2) for at in range(30)} | {"t99": (2, 1)}
    with evalsql.open(new_file(tmp_path).rename(tmp_path / "evalsql.duckdb")) as warehouse:
        warehouse.load_qrels({topic: {"relevant": 1} for topic in ranks}, "judged")
        for at, name in enumerate(("good", "usual")):
            warehouse.load_run({topic: _ranking(each[at]) for topic, each in ranks.items()}, name)
    done = in_process(tmp_path, ["report", "-m", "AP", "--baseline", "usual", "-o", "report.html"], "")
    assert done.returncode == 0, done.stderr
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    hidden = page.evaluate(
        """() => {
          const words = [...document.querySelectorAll('#topics-body svg.chart text')];
          const box = words.find((each) => each.textContent === 'loses on 1').getBoundingClientRect();
          return [...document.querySelectorAll('#topics-body svg.chart rect.win, #topics-body svg.chart rect.loss')]
            .map((bar) => bar.getBoundingClientRect())
            .filter((bar) => bar.left < box.right && bar.right > box.left)
            .filter((bar) => bar.top < box.bottom && bar.bottom > box.top)
            .length;
        }"""
    )
    page.close()
    assert hidden == 0
