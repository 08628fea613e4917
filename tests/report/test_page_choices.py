"""What a report is told to show and to leave out; names that mean something elsewhere are text in all its forms."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from evalsql import Warehouse
from evalsql.phrases import listed, natural_key
from evalsql.report.html import signed
from evalsql.report.page.report_data import default_baseline
from evalsql.report.writers import escape_markdown
from tests.conftest import in_process
from tests.report.conftest import NASTY, Open, asked, page_data, report_of


def _written(folder: Path, *options: str) -> str:
    outcome = in_process(folder, ["report", "-o", "page.html", *options], "")
    assert (outcome.returncode, outcome.stdout) == (0, ""), outcome.stderr
    return (folder / "page.html").read_text()


@pytest.mark.long
def test_sections_title_and_baseline_are_those_asked_for(folder: Path) -> None:
    whole = (folder / "report.html").read_text()
    more = page_data(whole)
    assert set(more["curves"]) == {"pr", "tap", "roc", "boxes"}
    assert more["documents"]
    left_out = ("topics", "doubts", "provenance", "documents", "precision-recall", "threshold", "distribution")
    words = [word for section in left_out for word in ("--without", section)]
    less = _written(folder, *words, "--title", "Nightly & more", "--baseline", "tfidf")
    data = page_data(less)
    assert not data["curves"]
    assert not data["documents"]
    for mark in ('id="topics"', 'id="doubts"', 'id="data"', 'class="doubted"'):
        assert mark in whole
        assert mark not in less
    assert "<h1>Nightly &amp; more</h1>" in less
    assert data["runs"][data["baseline"]] == "tfidf"


@pytest.mark.long
def test_the_same_call_writes_the_same_bytes(folder: Path) -> None:
    assert _written(folder, "--with", "roc") == (folder / "report.html").read_text()


@pytest.mark.long
def test_roc_stops_where_the_lists_stop(folder: Path) -> None:
    data = page_data((folder / "report.html").read_text())
    curves = data["curves"]["roc"]
    assert len(curves) == 8
    place = data["runs"].index("tfidf")
    rows = asked(folder, "curve", "roc", "tfidf")
    last = [row for row in rows if row["threshold"] is not None][-1]
    fpr, tpr = curves[str(place)][-1]
    assert abs(fpr - last["fpr"]) < 1e-6
    assert abs(tpr - last["tpr"]) < 1e-6


@pytest.mark.long
def test_texts_of_topics_are_shown_where_they_are_loaded(empty: Warehouse) -> None:
    empty.load_qrels({"10": {"a": 1, "b": 0}, "2": {"a": 0, "b": 1}}, "judged")
    for name in ("one", "two"):
        empty.load_run({"10": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0 + len(name), "b": 1.0}}, name)
    empty.execute("insert into topic_meta select 1, topic_id, 'text', 'what is ' || topic from topics")
    assert page_data(empty.report().page)["topics"] == [["2", "what is 2"], ["10", "what is 10"]]


def test_the_baseline_is_never_the_best_of_its_own_accord(empty: Warehouse) -> None:
    def chosen(*runs: str, places: Sequence[int] = (1, 2, 3, 4, 5), for_page: bool = False) -> tuple[str, str]:
        placed = enumerate(zip(runs, places, strict=False), start=1)
        means = [SimpleNamespace(run=run, place=place, position=position) for position, (run, place) in placed]
        found, told = default_baseline(empty.database, means, for_page=for_page)
        return found, " ".join(each.text for each in told)

    assert chosen("bm25", "x", "bm25-rm3", "my-baseline")[0] == "my-baseline"
    assert chosen("bm25", "x", "bm25-rm3")[0] == "bm25-rm3"
    assert chosen("a", "b", "c", "d", "e")[0] == "c"
    assert chosen("a", "b") == ("b", "")
    _, told = chosen("a", "b", "c", "d", "e", places=(1, 1, 3, 3, 5), for_page=True)
    assert "c (place 3 of 5)" in told
    assert "; 2 share place 1; 2 share place 3." in told
    assert ("--baseline" in told, "--baseline" in chosen("a", "b", "c")[1]) == (False, True)
    assert "share" not in chosen("a", "b", "c")[1]


def test_numbers_and_lists_as_text() -> None:
    assert [signed(value, 3) for value in (0.1, -0.1, -0.0001, 0.0)] == ["+0.100", "\u22120.100", "0.000", "0.000"]
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert sorted(["10", "2", "a10", "a9", "1"], key=natural_key) == ["1", "2", "10", "a9", "a10"]


@pytest.mark.long
def test_names_are_text_on_the_page(opened: Open, nasty: Path) -> None:
    found = opened(nasty / "report.html")
    page = found.page
    assert sorted(found.rows()) == sorted(NASTY)
    assert page.inner_text("h1") == NASTY[0]
    page.click("#more > summary")
    for name in NASTY:
        assert name in page.inner_text("#winner table")
        assert name in page.inner_text("#baseline")
        found.choose(system=name)
        assert name in page.inner_text("#topics-body")
        for topic in page.locator("tr.row button.link").locator("visible=true").all()[:1]:
            topic.click()
    assert page.query_selector("img") is None
    assert found.requests == [(nasty / "report.html").as_uri()]


@pytest.mark.long
def test_what_scripts_draw_turns_no_page_around(opened: Open, tmp_path: Path) -> None:
    run, topic = "a\u202eb", "t\u2067u"
    found = opened(report_of(tmp_path, {run: {topic: {"d": 1.0}}, "other": {topic: {"e": 1.0}}}, {topic: {"d": 1}}))
    found.choose(baseline=run, system="other")
    shown = found.page.inner_text("body")
    assert r"a\u202eb" in shown
    assert r"t\u2067u" in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.long
def test_names_are_text_in_markdown_latex_and_json(nasty: Path) -> None:
    markdown = (nasty / "report.md").read_text()
    for question in ("Who wins", "By how much", "Is it sure"):
        assert f"\n- {question}? " in markdown
    assert "<script>" not in markdown.replace(r"\<", "")
    assert escape_markdown("$^^5cinput^^7bx^^7d$ &lt;") == r"\$\^\^5cinput\^\^7bx\^\^7d\$ \&lt;"  # no TeX, no signs
    assert escape_markdown("\x1b[31m") == r"\x1b\[31m"  # a terminal shows it too
    assert r"\*\*bold\*\* \| \_it\_ \[x\]\(y\)" in markdown
    latex = (nasty / "report.tex").read_text()
    assert r"100\% \textbackslash{}alpha \$x\textasciicircum{}2\$ \{a\}\_b \& \#1 \textasciitilde{}" in latex
    content = json.loads((nasty / "report.json").read_text())
    assert {row["run"] for row in content["leaderboard"]} == set(NASTY)
