"""Pages of collections that are small or odd: one run, one topic, systems that are alike, ties, nothing to doubt."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

import evalsql
from evalsql import UsageError
from evalsql.report import html
from evalsql.report.page.verdicts import difference_text
from tests.conftest import new_warehouse
from tests.long_cases import few_of
from tests.report.conftest import Open, report_of

Rankings = Mapping[str, Mapping[str, float]]
LONG = "a_name_with_all_the_hyperparameters_that_anybody_ever_thought_of_trying_"
FIRST, LAST = {"d1": 2.0, "x": 1.0}, {"x": 2.0, "d1": 1.0}
# The rank of the one relevant document by topic, in the system and in the baseline.
RANKS = {"t1": (2, 1), "t2": (1, 1), "t3": (3, 3), "t4": (1, 4), "t5": (501, 500), "t6": (1, 4)}
LOST, TIED, WON = ["t1", "t5"], ["t2", "t3"], ["t4", "t6"]
SENTENCE = "good loses to usual on 2 of 6 topics, most on t1 and t5. It ties on 2 topics: t2 and t3."


def _ranking(rank: int) -> dict[str, float]:
    return {("relevant" if at == rank else f"d{at}"): float(-at) for at in range(1, 510)}


SURE = {"a": 0, "b": 1, "baseline": 9}  # topics lost


def _report(folder: Path, runs: Mapping[str, Rankings]) -> Path:
    """The report of some runs, where document d1 is relevant to each topic, and x is not."""
    topics = {topic for rankings in runs.values() for topic in rankings}
    return report_of(folder, runs, {topic: {"d1": 1, "x": 0} for topic in sorted(topics)}, "AP", "RR")


@pytest.mark.parametrize(
    ("runs", "place", "said"),
    few_of(
        [
            (
                {name: {"t1": {"x": 1.0}, "t2": {"x": 1.0}} for name in ("z1", "z2", "z3", "z4", "z5")},
                "#answers .answer:first-child",
                "Who wins? A tie AP 0.000, shared by z1, z2, z3 and two others, of 5 systems.",
            ),
            # Another measure that the first leads alone.
            (
                {"first": {"t1": FIRST, "t2": FIRST}, "second": {"t1": FIRST, "t2": LAST}},
                "#answers .answer:first-child",
                "Who wins? first AP 1.000, first of 2; also first by RR.",
            ),
            # Surely better than the baseline, and not than the next.
            (
                {name: {f"t{at}": LAST if at < lost else FIRST for at in range(9)} for name, lost in SURE.items()},
                "#answers .answer:last-child .big",
                "Only over the baseline",
            ),
            (
                {"only": {"t1": {"d1": 1.0}, "t2": {"x": 2.0, "d1": 1.0}}},
                "#topics .sentence",
                "There is no other system to compare it with.",
            ),
        ],
        1,
    ),
)
def test_answers_with_and_without_a_script(
    opened: Open, tmp_path: Path, runs: Mapping[str, Rankings], place: str, said: str
) -> None:
    path = _report(tmp_path, runs)
    for script in (True, False):
        found = opened(path, script=script)
        assert " ".join(found.page.inner_text(place).split()) == said
        assert found.count("#doubts .look, .doubted") == 0  # nothing to doubt is no line
        if script and len(runs) == 1:
            assert found.page.inner_text("#winner h3") == "Mean AP over 2 topics"


@pytest.mark.long
@pytest.mark.parametrize(
    ("names", "options", "said"),
    few_of(
        [
            (("a", "bm25", "c", "a_Baseline"), {}, "a_Baseline (place 4 of 4) was chosen: its name says baseline"),
            (("a", "bm25", "c"), {"baseline": "c"}, ""),
            (
                ("a", "b", "c", "d"),
                {},
                "c (place 3 of 4) was chosen: it stands in the middle, and no name after the first",
            ),
            (("my baseline", "BM25-x", "c", "d"), {}, "BM25-x (place 2 of 4) was chosen: its name says bm25"),
            (("a", "b"), {}, ""),
        ],
        1,
    ),
)
def test_a_baseline_that_nobody_named_is_said_to_be_chosen(
    tmp_path: Path, names: tuple[str, ...], options: dict[str, str], said: str
) -> None:
    runs = {name: {"t": _ranking(place)} for place, name in enumerate(names, 1)}
    text = report_of(tmp_path, runs, {"t": {"relevant": 1}}, "AP", **options).read_text()
    assert (f"No baseline was named, so {said}" in text) if said else ("No baseline" not in text)


def _span(locator: Locator) -> tuple[float, float]:
    """Where it begins, and its width."""
    box = locator.bounding_box()
    assert box
    return box["x"], box["width"]


@pytest.mark.long
def test_one_topic_and_long_names_that_begin_alike(opened: Open, tmp_path: Path) -> None:
    names = [LONG + end for end in ("bm25", "dense")]
    page = opened(_report(tmp_path, {names[0]: {"t1": FIRST}, names[1]: {"t1": LAST}}), width=1280).page
    assert page.inner_text("#winner h3").endswith("mean over 1 topic")
    bar, chart = (_span(page.locator(f"#topics-body {each}"))[1] for each in ("rect.win", "svg.chart"))
    assert bar < chart / 8  # no wall
    for row in page.locator("#winner tbody tr").all():
        left, width = _span(row.locator("th"))
        tail, tail_width = _span(row.locator("th .cut > span:last-child"))
        assert tail + tail_width <= left + width + 1
    # Names stand below curves and not across them.
    assert LONG not in page.inner_text("#precision-recall .plot")
    assert f"Blue is {names[0]}, orange {names[1]}." in page.inner_text("#precision-recall .note")


def _tied(folder: Path, ranks: Mapping[str, tuple[int, int]], *measures: str) -> Path:
    runs = {
        name: {topic: _ranking(each[at]) for topic, each in ranks.items()} for at, name in enumerate(("good", "usual"))
    }
    return report_of(folder, runs, {topic: {"relevant": 1, "d900": 0} for topic in ranks}, *measures, baseline="usual")


@pytest.fixture(scope="module")
def tied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _tied(tmp_path_factory.mktemp("tied"), RANKS, "AP", "R@3")


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


@pytest.mark.long
def test_names_with_signs_that_are_shown_otherwise(opened: Open, tmp_path: Path) -> None:
    runs = {
        name: {"t1": ranking}
        for name, ranking in zip(("\x1b[31mred", " a\tb\r", "plain"), (FIRST, LAST, LAST), strict=True)
    }
    found = opened(_report(tmp_path, runs))
    found.page.fill("#show", "RED")
    assert found.page.locator("#board tbody tr:not([hidden]) th").all_inner_texts() == [r"\x1b[31mred"]
    assert found.complaints == []


def test_topics_stand_under_what_happened_on_them(opened: Open, tied: Path) -> None:
    page = opened(tied).page
    assert _groups(page) == {
        "The 2 topics it loses on": LOST,
        "The 2 topics it ties on": TIED,
        "The 2 topics it wins on": WON,
    }
    assert page.inner_text("#topics-body .sentence") == SENTENCE
    chart = page.text_content("#topics-body svg.chart") or ""
    assert all(words in chart for words in ("loses on 2", "ties on 2", "wins on 2"))
    # A loss never reads as no difference.
    shown = page.inner_text("tr[data-topic=t5] td:last-of-type >> xpath=preceding-sibling::td[1]")
    assert shown == difference_text(1 / 501 - 1 / 500, 3) == "\u22120.000004"
    assert [difference_text(value, 3) for value in (0.0, 0.0004, -0.25)] == ["0.000", "+0.0004", "\u22120.250"]
    page.evaluate("location.hash = '#topic=t3'")
    page.wait_for_selector("tr.opened")
    assert _groups(page) == {
        "Topic t3, which it ties on": ["t3"],
        "The 2 topics it loses on": LOST,
        "The 2 topics it ties on": ["t2"],
        "The 2 topics it wins on": WON,
    }


@pytest.mark.long
def test_without_a_script_ties_are_told_too(opened: Open, tied: Path) -> None:
    page = opened(tied, script=False).page
    assert page.inner_text("#topics-body .sentence") == SENTENCE
    rows = [row.locator("th, td").all_inner_texts() for row in page.locator("#topics-body tbody tr").all()]
    outcomes = {"lost": LOST, "tied": TIED, "won": WON}
    assert [(row[0], row[-1]) for row in rows] == [(t, outcome) for outcome, each in outcomes.items() for t in each]


def test_ties_are_told_where_nothing_is_lost(opened: Open, tied: Path) -> None:
    page = opened(tied, "#measure=R@3").page
    told = "good loses to usual on none of 6 topics. It ties on 4 topics: t1, t2, t3 and t5."
    assert page.inner_text("#topics-body .sentence") == told
    assert _groups(page) == {"The 4 topics it ties on": ["t1", "t2", "t3", "t5"], "The 2 topics it wins on": WON}


@pytest.mark.long
def test_words_on_few_losses_stand_free_of_bars(opened: Open, tmp_path: Path) -> None:
    ranks = {f"t{at:02}": (1, 2) for at in range(30)} | {"t99": (2, 1)}
    page = opened(_tied(tmp_path, ranks, "AP")).page
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
    assert hidden == 0


@pytest.mark.long
def test_ids_that_do_not_match_are_the_gravest(opened: Open, tmp_path: Path) -> None:
    runs: Mapping[str, Rankings] = {
        "right": {"1": {f"d{at}": -float(at) for at in range(20)}, "2": {"d1": 1.0}},
        "wrong": {"1": {f"D-{at}.txt": -float(at) for at in range(20)}},
    }
    with pytest.warns(evalsql.InputWarning, match="none of 20"):
        path = report_of(tmp_path, runs, {"1": {f"d{at}": at % 2 for at in range(20)}, "2": {"d1": 1, "d2": 0}})
    assert "first of all ids that do not match." in opened(path, script=False).page.inner_text(".doubted")


@pytest.mark.long
@pytest.mark.parametrize("script", few_of([True, False], 1))
def test_equal_systems_share_a_place(opened: Open, tmp_path: Path, script: bool) -> None:
    runs = {name: {"t1": _ranking(rank)} for name, rank in (("d", 4), ("b", 2), ("c", 2), ("a", 1))}
    path = report_of(tmp_path, runs, {"t1": {"relevant": 1}}, "RR")
    rows = opened(path, script=script).page.locator("#winner tbody tr").all()
    cells = [row.locator("th, td").all_inner_texts()[:2] for row in rows]
    assert [(place, name.strip()) for place, name in cells] == [("1", "a"), ("2", "b"), ("2", "c"), ("4", "d")]


def _answers(folder: Path) -> Path:
    """The report of two systems that hold facts on one topic of two, and on both."""
    topics = ("t1", "t2")
    with new_warehouse() as warehouse:
        facts = [{"topic": each, "nugget": "n", "importance": "vital", "text": "it rains"} for each in topics]
        warehouse.load_qrels(facts, "judged", form="nuggets")
        for name, held in (("one", {"t1"}), ("both", {*topics})):
            rows = [
                {"topic": each, "nugget": "it rains", "assignment": "support" if each in held else "not_support"}
                for each in topics
            ]
            warehouse.load_assignments(rows, name=name)
        with pytest.raises(UsageError, match=r"no run has values of nDCG@10, AP with judged; evalsql"):
            warehouse.report(measures=["nDCG@10", "AP"])
        warehouse.report(measures="VitalScore", output=folder / "report.html")
    return folder / "report.html"


@pytest.mark.long
def test_topics_of_answers_open_no_documents(opened: Open, tmp_path: Path) -> None:
    """``explain``, which would print them elsewhere, refuses measures of answers."""
    page = opened(_answers(tmp_path)).page
    topic = page.locator("tr[data-topic='t2']")
    assert topic.get_by_role("button", name="documents").count() == 0
    topic.get_by_role("button", name="t2").click()
    assert page.locator("tr.opened").inner_text().startswith("Link to this topic")


def test_no_name_turns_a_page_around() -> None:
    assert html.text("a\u202e<b>\u2066") == "a\\u202e&lt;b&gt;\\u2066"
    assert html.text("\u0645\u06cc\u200c\u0634") == "\u0645\u06cc\u200c\u0634"  # a word of Persian
