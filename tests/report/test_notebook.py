"""Results of the library: what a notebook shows of them, and that they are relations in all else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import nbclient
import nbformat
import pandas
import polars
import pyarrow
import pytest
import scipy.stats
import statsmodels.stats.multitest
from playwright.sync_api import Browser, Page

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.report.display import MOST_ROWS
from tests.conftest import Command
from tests.report.conftest import NASTY, trec_eval

CELLS = {
    "warehouse": "w",
    "leaderboard": "w.leaderboard(measures='AP RR', baseline='bm25')",
    "topics": "w.topics(['bm25', 'dense'], 'AP', wide=True)",
    "compare": "w.compare('bm25', measures='AP')",
    "explain": "w.explain('dense', 'T01', measure='AP', depth=5)",
    "chart": "w.chart('pr')",
    "report": "w.report(['bm25', 'dense'], 'AP RR')",
}


def means() -> dict[str, float]:
    return {run: fmean(values.values()) for run, values in trec_eval("map").items()}


def marked_by_hand(baseline: str) -> dict[str, str]:
    """By run the mark of a paired t test with Holm's correction, as scipy and statsmodels have both."""
    columns = {run: list(values.values()) for run, values in trec_eval("map").items()}
    others = [run for run in columns if run != baseline]
    p_values = [scipy.stats.ttest_rel(columns[run], columns[baseline]).pvalue for run in others]
    are_sure, *_ = statsmodels.stats.multitest.multipletests(p_values, alpha=0.05, method="holm")
    marks = {run: "†" if means()[run] > means()[baseline] else "‡" for run in others}
    return {run: marks[run] if is_sure else "" for run, is_sure in zip(others, are_sure, strict=True)}


@pytest.fixture(scope="module")
def outputs(sample: Warehouse) -> dict[str, Any]:
    """What each cell gives, by mime type."""
    found = {}
    for name, code in CELLS.items():
        made = eval(code, {"w": sample})
        bundle = made._repr_mimebundle_() if name == "chart" else {"text/plain": repr(made)}
        found[name] = bundle | ({"text/html": made._repr_html_()} if hasattr(made, "_repr_html_") else {})
    return found


@pytest.mark.long
def test_a_kernel_shows_what_results_say_of_themselves(outputs: dict[str, Any], sample_file: Path) -> None:
    opened = f"import evalsql\nw = evalsql.open({str(sample_file)!r}, read_only=True)"
    near = "evalsql.experiment([{'t': {'c': 0.5, 'd': 0.5 + 2.0**-40}}], {'t': {'c': 1}}, 'AP')"
    loading = "o = evalsql.open(':memory:')\no.load_qrels({'t': {'c': 1}}, 'q')\n"
    loading += "names = o.load_run([{'topic': 't', 'document': 'c', 'score': 1, 'colour': 'red'}], 'r')"
    cells = [nbformat.v4.new_code_cell(code) for code in (opened, *CELLS.values(), loading, near)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=600, startup_timeout=300, kernel_name="python3").execute()
    # What is warned of stands below the table, or is the output of a cell without one.
    *cells, loaded, cell = notebook.cells
    assert [(output["name"], output["text"].split(";")[0]) for output in loaded["outputs"]] == [
        ("stdout", "r: not loaded: colour")
    ]
    assert [output["output_type"] for output in cell["outputs"]] == ["execute_result"]
    assert "such as d and c of topic t in run1" in cell["outputs"][0]["data"]["text/html"]
    for name, cell in zip(CELLS, cells[1:], strict=True):
        (shown,) = (output["data"] for output in cell["outputs"])
        assert {kind: shown[kind] for kind in outputs[name]} == outputs[name], name


def html_rows(html: str) -> list[list[str]]:
    """The cells of a table's body, with their tags."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    return [re.split(r"<t[dh][^>]*>", row.rstrip())[1:] for row in body.split("<tr>")[1:]]


@pytest.mark.long
def test_a_leaderboard_has_its_best_in_bold_bars_and_marks(outputs: dict[str, Any]) -> None:
    rows = html_rows(outputs["leaderboard"]["text/html"])
    marks = marked_by_hand("bm25")
    assert set(marks.values()) == {"", "†", "‡"}
    best, *others = sorted(means(), key=lambda run: -means()[run])
    assert [row[0] for row in rows] == [best, *others]
    for run, ap, bar, _ in rows:
        mean = f"{means()[run]:.4f}"
        text = f"<b>{mean}</b>" if run == best else mean
        assert ap == text + (f"<sup>{marks[run]}</sup>" if marks.get(run) else "")
        assert bar == f'<div style="width:{round(100 * means()[run] / means()[best])}%"></div>'
    assert "paired t test, p corrected by Holm for 7 tests" in outputs["leaderboard"]["text/html"]
    assert "bm25 with 7 systems, each measure by itself." in outputs["leaderboard"]["text/html"]


def test_topics_side_by_side_have_the_better_one_in_bold(outputs: dict[str, Any]) -> None:
    rows = html_rows(outputs["topics"]["text/html"])
    values = trec_eval("map")
    assert len(rows) == len(values["bm25"])
    for topic, *cells in rows:
        both = [values[run][topic] for run in ("bm25", "dense")]
        assert cells == [f"<b>{value:.4f}</b>" if value == max(both) != min(both) else f"{value:.4f}" for value in both]


def test_differences_have_intervals_in_figures_and_drawn(outputs: dict[str, Any]) -> None:
    rows = html_rows(outputs["compare"]["text/html"])
    values, marks = trec_eval("map"), marked_by_hand("bm25")
    assert len(rows) == len(marks)
    for run, ap, difference, picture, interval, _, outcomes in rows:
        differences = [values[run][topic] - values["bm25"][topic] for topic in values[run]]
        told = f"{sum(differences) / len(differences):.4f}"
        won, tied = sum(each > 0 for each in differences), sum(each == 0 for each in differences)
        low, high = scipy.stats.ttest_1samp(differences, 0).confidence_interval(0.95)
        assert difference == (f"<b>{told}</b>" if marks[run] else told)
        assert ap.removeprefix(f"{means()[run]:.4f}") == (f"<sup>{marks[run]}</sup>" if marks[run] else "")
        assert interval == f"{low:.4f} to {high:.4f}"
        assert outcomes == "-".join(str(count) for count in (won, tied, len(differences) - won - tied))
        assert picture.startswith("<svg ")


def test_the_rest_is_shown_in_the_form_of_each(outputs: dict[str, Any]) -> None:
    assert outputs["warehouse"]["text/plain"].endswith("duckdb: 1 judgment set, 8 runs>")
    explained = outputs["explain"]["text/html"]
    assert len(html_rows(explained)) == 5
    assert f"dense {trec_eval('map')['dense']['T01']:.4f}" in explained
    assert "depth=40 shows them" in explained
    assert outputs["chart"]["image/svg+xml"].startswith("<svg ")
    specification = outputs["chart"]["application/vnd.vegalite.v5+json"]
    assert len(specification["data"]["values"]) == 8 * 11  # eleven levels of recall
    assert "<iframe srcdoc=" in outputs["report"]["text/html"]


@pytest.mark.long
def test_what_is_shown_is_a_relation_in_all_else(sample: Warehouse) -> None:
    board = sample.leaderboard(measures="AP RR", baseline="bm25")
    rows = sample.evaluate("AP RR").fetchall()
    assert list(board) == board.fetchall() == rows
    assert len(board) == len(rows)
    assert isinstance(board.df(), pandas.DataFrame)
    assert isinstance(board.pl(), polars.DataFrame)
    assert board.to_arrow_table().equals(pyarrow.table(board))
    assert polars.DataFrame(board).rows() == rows
    assert board.columns == ["qrels", "run", "AP", "RR"]
    assert board.filter("run = 'dense'").project("run").fetchall() == [("dense",)]
    assert sample.compare("bm25", (), "AP").df()["p"].between(0, 1).all()
    explained = sample.explain("dense", "T01", measure="AP", depth=5)
    assert explained.df().equals(explained.rows.df())
    assert len(explained.fetchall()) == 5
    assert (explained.run.name, explained.measure.name) == ("dense", "AP")


@pytest.mark.long
def test_verbs_give_what_their_commands_print(sample: Warehouse, sample_file: Path, command: Command) -> None:
    for words, rows in (
        (("leaderboard", "rerank-*", "bm25"), sample.leaderboard(["rerank-*", "bm25"])),
        (("topics", "dense", "-m", "AP,RR"), sample.topics("dense", "AP RR")),
        (("compare", "bm25", "--test", "wilcoxon", "--alpha", "0.01"), sample.compare("bm25", test="wilcoxon")),
        (("compare", "bm25", "--all-pairs", "-m", "AP"), sample.compare(None, measures="AP")),
        (("explain", "dense", "T02", "--other", "bm25"), sample.explain("dense", "T02", other="bm25").rows),
    ):
        printed = command(*words, "--format", "json", "--db", sample_file)
        assert [tuple(row.values()) for row in json.loads(printed.stdout)] == rows.fetchall(), words

    rules = ["AP drop <= 5%", "AP >= 0.5"]
    decision = sample.gate("bm25", rules, baseline="rerank-large")
    asked = ("gate", "bm25", "--baseline", "rerank-large", *(word for rule in rules for word in ("--rule", rule)))
    printed = command(*asked, "--db", sample_file)
    assert decision.passes is (printed.returncode == 0) is False
    # Lines are folded in a pipe.
    said = f"{printed.stderr.splitlines()[0]}\n{printed.stdout}".replace("─", "").split()
    assert repr(decision).replace("─", "").split()[: len(said)] == said
    assert "AP drop &lt;= 5%" in decision._repr_html_()


@pytest.mark.long
def test_rows_come_in_the_order_that_is_asked_for(sample: Warehouse) -> None:
    def runs(**options: Any) -> list[str]:
        return [run for _, run, *_ in sample.leaderboard(**options)]

    rising = sorted(means(), key=lambda run: means()[run])
    assert runs(measures="RR AP", sort="ap", limit=3) == rising[:-4:-1]
    assert runs(measures="RR AP", sort="AP:asc") == rising
    assert runs(measures="AP", sort="run:desc", limit=1) == ["tfidf"]
    p_values = [row[0] for row in sample.compare("bm25", measures="AP", sort="p").project("p").fetchall()]
    assert p_values == sorted(p_values)
    # The best is that of all rows, also of few.
    rows = html_rows(sample.leaderboard(measures="AP", sort="AP:asc", limit=3)._repr_html_())
    assert [row[0] for row in rows] == rising[:3] == ["random", "tfidf", "bm25"]
    assert not any("<b>" in cell for row in rows for cell in row)


def test_topics_stand_in_natural_order_with_a_column_a_run(empty: Warehouse) -> None:
    grades = {topic: {"d": 1} for topic in ("10", "9", "q2", "q10", "1")}
    empty.load_qrels(grades, "tiny")
    empty.load_run({topic: {"d": 1.0} for topic in ("10", "9", "1")}, "some")
    empty.load_run({topic: {"d": 1.0} for topic in grades}, 'all of "them"')
    wide = empty.topics((), "RR P@1", wide=True)
    assert wide.columns == ["qrels", "measure", "topic", 'all of "them"', "some"]
    of_rr = [row[2:] for row in wide if row[1] == "RR"]
    assert of_rr == [("1", 1, 1), ("9", 1, 1), ("10", 1, 1), ("q2", 1, 0), ("q10", 1, 0)]
    assert [row[1] for row in wide] == ["RR"] * 5 + ["P@1"] * 5
    assert [row[2] for row in empty.topics("some", "RR", sort="topic")] == ["1", "9", "10", "q2", "q10"]
    falling = empty.topics("some", "RR", sort="topic:desc", limit=1)
    assert falling.fetchall() == [("tiny", "some", "q10", "RR", 0.0)]


@pytest.mark.long
def test_of_many_runs_that_miss_topics_five_are_named(empty: Warehouse) -> None:
    empty.load_qrels({"1": {"d": 1}, "2": {"d": 1}}, "q")
    for nth in range(8):
        empty.load_run({"1": {"d": 1.0}}, f"r{nth}")
    notes = empty.leaderboard(measures="AP").notes
    assert sum("misses 1 of 2 topics" in note for note in notes) == 5
    assert "  ... and 3 more, see evalsql ls" in notes


def test_what_the_command_line_says_stands_below_the_rows(sample: Warehouse) -> None:
    board = sample.leaderboard(measures="AP")
    assert any("tfidf misses 1 of 40 topics" in text for text in board.notes)
    for shown in (repr(board), board._repr_html_()):
        assert "tfidf misses 1 of 40 topics" in shown
    assert repr(board).splitlines()[1].split() == ["run", "AP"]
    topics = sample.topics(measures="AP")
    assert len(html_rows(topics._repr_html_())) == MOST_ROWS < len(topics) == 320
    assert f"The first {MOST_ROWS} rows are shown" in repr(topics)


def test_measures_of_which_less_is_better_are_shown_so(empty: Warehouse) -> None:
    less = (each.header for each in empty.catalog.measures if each.header.less_is_better and each.family != "costs")
    measure = next(less).measure
    empty.load_qrels({"t": {"a": 1, "b": 0}}, "tiny")
    empty.load_run({"t": {"a": 2.0, "b": 1.0}}, "first")
    empty.load_run({"t": {"b": 2.0, "a": 1.0}}, "last")
    values = {run: value for _, run, value in empty.evaluate(measure).fetchall()}
    assert values["first"] != values["last"]
    best = min(values, key=lambda run: values[run])
    rows = html_rows(empty.leaderboard(measures=measure)._repr_html_())
    assert [row[0] for row in rows if "<b>" in row[1]] == [best]
    (sorted_first, *_) = empty.leaderboard(measures=measure, sort=measure)
    assert sorted_first[1] == best


@pytest.mark.long
def test_names_are_text(nasty: Path) -> None:
    with evalsql.open(nasty / "evalsql.duckdb", read_only=True) as warehouse:
        for shown in (
            warehouse.leaderboard(measures="AP", baseline=NASTY[0]),
            warehouse.topics(measures="AP", wide=True),
            warehouse.compare(NASTY[0], measures="AP"),
            warehouse.explain(NASTY[0], NASTY[0]),
            warehouse.report(measures="AP"),
        ):
            html = shown._repr_html_()
            assert "<script>alert" not in html
            assert "<img" not in html
            # MathJax of a notebook makes formulas of what stands between dollars elsewhere, as in NASTY.
            assert "<iframe" in html or re.search('<table class="[^"]*tex2jax_ignore mathjax_ignore"', html)


def test_representations_are_short(sample: Warehouse, sample_file: Path) -> None:
    explained = sample.explain("dense", "T01", measure="AP", other="bm25")
    values = trec_eval("map")
    assert repr(explained) == (
        f"<explanation of AP, topic T01 (sample): dense {values['dense']['T01']:.4g}, bm25 {values['bm25']['T01']:.4g}>"
    )
    assert repr(sample.chart("pr")) == "<chart pr, 88 rows; .save(FILE) writes it>"
    with evalsql.open(sample_file, read_only=True) as warehouse:
        board = warehouse.leaderboard(measures="AP")
        assert repr(warehouse) == f"<evalsql warehouse {sample_file}: 1 judgment set, 8 runs>"
    assert repr(warehouse) == f"<evalsql warehouse {sample_file}, closed>"
    assert repr(board).startswith("<rows that cannot be shown: ")


@pytest.mark.long
def test_names_do_not_reach_the_terminal_as_codes(empty: Warehouse) -> None:
    name = "\x1b[31mred\x07"
    empty.load_qrels({"1": {"d": 1}, "2": {"d": 1}}, name)
    empty.load_run({"1": {"d": 1.0}, "2": {"d": 1.0}}, name)
    empty.load_run({"1": {"d": 1.0}, "2": {"d": 1.0}}, "other")
    shown = (
        *(
            empty.leaderboard(),
            empty.topics(name, "AP"),
            empty.compare(name, measures="AP"),
            empty.chart("differences", name, "AP", baseline="other"),
        ),
        *(empty.explain(name, "1", measure="AP"), empty.report()),
    )
    for made in shown:
        assert repr(made).replace("\n", "").isprintable(), repr(made)
        assert r"\x1b[31m" in repr(made), type(made)


@pytest.mark.long
def test_charts_and_reports_are_written_to_files(sample: Warehouse, tmp_path: Path) -> None:
    sample.chart("differences", "dense", "AP", baseline="bm25").save(tmp_path / "chart.svg")
    assert "AP, dense less bm25" in (tmp_path / "chart.svg").read_text()
    report = sample.report(["bm25", "dense"], "AP", title="Two systems", output=tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text() == report.page
    assert "Two systems" in report.page
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())
    for made in (report, sample.chart("pr")):
        with pytest.raises(UsageError, match=r"as \.\w+, "):
            made.save(tmp_path / "report.docx")
    with pytest.raises(UsageError, match="cannot be written"):
        report.save(tmp_path / "none" / "report.html")


def test_what_is_wrong_is_said(sample: Warehouse) -> None:
    for call, complaint in (
        (lambda: sample.leaderboard(measure="AP"), "there is no option measure"),
        (lambda: sample.leaderboard(measures=[]), "name at least one measure"),
        (lambda: sample.leaderboard(sort="AQ"), 'no column "AQ" to sort by; there are: qrels, run, nDCG@10'),
        (lambda: sample.leaderboard(limit=0), "limit is 0"),
        (lambda: sample.leaderboard(by="length", baseline="bm25"), "has no baseline"),
        (lambda: sample.leaderboard(baseline="bm52"), 'no run is called "bm52"'),
        (lambda: sample.chart("pie"), 'there is no chart "pie"; there are: agreement, '),
        (lambda: sample.report(without=["all"]), "without all: there is no such section"),
    ):
        with pytest.raises(UsageError, match=complaint):
            call()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_a_choice_in_a_report_within_a_notebook_is_drawn(outputs: dict[str, Any], page: Page, tmp_path: Path) -> None:
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><body>{outputs['report']['text/html']}</body>")
    page.goto(notebook.as_uri())
    (frame,) = page.frames[1:]
    frame.wait_for_selector("#measure")
    before = frame.inner_text("body")
    frame.select_option("#measure", "RR")
    frame.wait_for_function("document.body.innerText.includes('RR 0.')")
    assert frame.inner_text("body") != before
    frame.click("nav a >> nth=1")
    assert page.url == notebook.as_uri()


def test_intervals_are_drawn_whole_where_a_page_bounds_pictures(outputs: dict[str, Any], page: Page) -> None:
    # As nbconvert and JupyterLab have it.
    page.set_content(f"<style>svg{{max-width:100%;height:auto}}</style>{outputs['compare']['text/html']}")
    outside = page.evaluate("""() => [...document.querySelectorAll("svg")].flatMap((svg) => {
        const box = svg.getBoundingClientRect(), cell = svg.closest("td").getBoundingClientRect();
        return [...svg.children].map((each) => each.getBoundingClientRect()).filter((each) =>
            each.left < box.left || each.right > box.right || each.top < box.top || each.bottom > box.bottom
            || each.left < cell.left || each.right > cell.right);
    })""")
    assert page.locator("svg").count() == 7
    assert outside == []


@pytest.mark.long
def test_tables_take_the_colours_of_the_page_around(outputs: dict[str, Any], page: Page) -> None:
    html = outputs["leaderboard"]["text/html"]
    for paper, ink in (("#fff", "rgb(20, 20, 20)"), ("#111", "rgb(230, 230, 230)")):
        page.set_content(f'<body style="background:{paper};color:{ink}">{html}</body>')
        for element in ("th", "td", "caption", "div.evalsql-notes"):
            assert page.eval_on_selector(element, "each => getComputedStyle(each).color") == ink
