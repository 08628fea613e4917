"""Curves from the command line, and charts as files that need no network."""

import json
import random
import re
import sys
from collections.abc import Iterator
from itertools import cycle, permutations
from pathlib import Path
from statistics import fmean

import pytest
from sklearn.metrics import cohen_kappa_score

import evalsql
from evalsql.errors import UsageError
from evalsql.evaluation.evaluation import CURVES
from evalsql.report import charts
from evalsql.report.charts import Chart, drawing
from evalsql.report.page.html_page import page
from evalsql.report.page.report_data import gather_report
from evalsql.report.page.report_formats import WRITERS
from evalsql.report.table import Table
from tests.conftest import Command, assert_refused, csv_rows, new_warehouse
from tests.long_cases import few_of

OF_ONE = ("differences", "scatter", "histogram")
OF_ALL = (
    "agreement",
    "calls",
    "distribution",
    "leaderboard",
    "pr",
    "pr_levels",
    "roc",
    "slope",
    "tap",
    "topics",
    "unjudged",
)
NASTY = "</script><script>alert(1)</script>"


def test_points_are_those_of_the_relation(demo: Command, sample: evalsql.Warehouse) -> None:
    printed = csv_rows(demo("curve", "pr", "bm25", "dense", "--format", "csv").stdout)
    assert [row["run"] for row in printed] == ["bm25"] * 11 + ["dense"] * 11
    for row in printed:
        ((mean,),) = sample.rows(
            f"select avg(value) from iprec_textbook(recall := {row['recall']}) where run = ?", [row["run"]]
        )
        assert float(row["precision"]) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize(("kind", "extension"), few_of([("roc", ".svg"), ("tap", ".html")], 1))
def test_charts_are_drawn(demo: Command, tmp_path: Path, kind: str, extension: str) -> None:
    chart = tmp_path / f"chart{extension}"
    done = demo("curve", kind, "bm25", "hybrid", "--chart", chart, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert {row["run"] for row in csv_rows(done.stdout)} == {"bm25", "hybrid"}
    assert f"wrote {chart}\n" in done.stderr
    content = chart.read_bytes()
    assert b"hybrid" in content
    assert (b"<svg" if extension == ".svg" else b"vegaEmbed") in content
    # Nothing is fetched: no script, style or picture comes from elsewhere.
    assert not re.search(rb"<script[^>]+src=", content)
    assert not re.search(rb"(src|href)=", re.sub(rb"<script.*?</script>", b"", content, flags=re.DOTALL))


@pytest.mark.parametrize("kind", ["pr", "roc"])
def test_topics_have_curves_of_their_own(demo: Command, tmp_path: Path, kind: str) -> None:
    chart = tmp_path / "topics.svg"
    done = demo("curve", kind, "bm25", "--topic", "T02", "--topic", "T01", "--chart", chart, "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert list(dict.fromkeys(row["topic"] for row in csv_rows(done.stdout))) == ["T01", "T02"]
    assert ">T02<" in chart.read_text()


@pytest.mark.parametrize("name", few_of(charts.SPECIFIED, 1))
def test_names_are_text_in_every_chart(name: str) -> None:
    columns = ["run", "topic", "rank", "recall", "precision", "interpolated", "fpr", "tpr", "threshold"]
    table = Table(
        [*columns, "false_positives", "is_chosen", "measure"],
        [
            [NASTY, NASTY, 1, 0.5, 0.5, 0.5, 0.5, 0.5, float("inf"), 3, True, "AP"],
            ["b", "u", 2, 1, 1, 1, 1, 1, 2.0, 4, False, "AP"],
        ],
    )
    page = Chart(name, table).draw(".html").decode()
    assert NASTY not in page
    assert page.count("</script>") == page.count("<script")
    spec = json.loads(page.partition("const spec = ")[2].partition(";\n")[0])
    assert spec["data"]["values"][0]["run"] == NASTY
    assert NASTY not in Chart(name, table).draw(".svg").decode()


@pytest.mark.parametrize("nasty", few_of(["a\0b\x01\ufffe", "runs\\bm25"], 1))
def test_what_xml_cannot_hold_is_drawn_as_a_sign(empty: evalsql.Warehouse, nasty: str) -> None:
    """It ended the process that draws, a notebook's kernel too; a title of an axis read backslashes as escapes."""
    empty.load_qrels({nasty: {"d": 1}, "t": {"d": 1}}, "q")
    for run in (nasty, "other"):
        empty.load_run({nasty: {"d": 1.0}, "t": {"e": 1.0}}, run)
    for name in ("scatter", "topics"):
        baseline = nasty if name == "scatter" else None
        chart = drawing(empty, name, ["AP"], title=nasty, runs="other" if baseline else (), baseline=baseline)
        assert chart.draw(".svg").startswith(b"<svg")
        assert chart.draw(".png").startswith(b"\x89PNG")


def test_names_that_objects_of_javascript_have_are_drawn(empty: evalsql.Warehouse) -> None:
    """The engine ended in an error, or drew nothing and said nothing."""
    names = ("constructor", "__proto__", "toString")
    empty.load_qrels({name: {"d": 1} for name in names}, "q")
    for at, run in enumerate(names[:2]):
        empty.load_run({name: {"e": 2.0 * at, "d": 1.0} for name in names}, run)
    for name in ("scatter", "differences"):
        drawn = drawing(empty, name, ["AP"], runs="__proto__", baseline="constructor").draw(".svg").decode()
        assert "constructor" in drawn
        assert "</text>" in drawn


def test_no_name_turns_a_chart_around(empty: evalsql.Warehouse) -> None:
    empty.load_qrels({"t": {"d": 1}}, "q")
    empty.load_run({"t": {"d": 1.0}}, "a\u202eb")
    assert "a\ufffdb" in drawing(empty, "leaderboard", ["AP"]).draw(".svg").decode()


BEGINS = {".png": b"\x89PNG", ".svg": b"<svg", ".html": b"<!DOCTYPE html>", ".pdf": b"%PDF"}


@pytest.mark.long
def test_each_chart_is_drawn_of_columns_of_its_relation(sample: evalsql.Warehouse) -> None:
    """All that is asked for by chart is drawn, each in one of the forms."""
    drawn = {name: drawing(sample, name, "AP RR", runs="dense" if name == "pr_levels" else ()) for name in OF_ALL}
    drawn |= {name: drawing(sample, name, "AP RR", runs="dense", baseline="bm25") for name in OF_ONE}
    for extension, (name, found) in zip(cycle(BEGINS), drawn.items(), strict=False):
        content = found.draw(extension)
        assert content.lstrip().startswith(BEGINS[extension]), name
    columns = {name: {*found.rows.columns} for name, found in drawn.items()}
    columns["history"] = {*sample.sql("from history").columns}
    columns["judges"] = {*sample.sql("from judge_pairs()").columns}
    columns["pareto"] = {*sample.sql("from pareto_front()").columns}
    calculated = {"place", *"abcd", "least", "most", "none"}
    for name in charts.SPECIFIED:
        kind, _, topics = name.partition("_")
        fields = set(re.findall(r'"field": "(\w+)"', json.dumps(Chart(name, Table([], [])).specification)))
        if kind in CURVES and topics != "levels":
            asked = {*sample.curve(kind, runs="bm25", topics="T01" if topics else ()).columns}
            assert fields - calculated <= asked, name
        if name in columns:
            assert fields - calculated <= columns[name], name
        assert name in columns or kind in CURVES, name


def test_what_has_no_curve_is_named(demo: Command) -> None:
    done = demo("curve", "roc", "bm25", "tfidf", "--topic", "T01", "--rel", "9", "--format", "csv")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert "bm25 on T01 has no curve" in done.stderr
    assert "tfidf on T01 has no curve" in done.stderr


def test_an_unknown_curve_is_refused(empty: evalsql.Warehouse) -> None:
    with pytest.raises(UsageError, match="curves are pr, roc, tap"):
        empty.curve("det")


def test_without_the_engine_a_chart_says_how_to_get_it_and_a_notebook_draws_it(
    demo: Command, sample: evalsql.Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert_refused(demo("chart", "leaderboard", "-o", "board.png"), "pip install 'evalsql[charts]' brings it")
    bundle = sample.chart("leaderboard")._repr_mimebundle_()
    assert sorted(bundle) == [charts.VEGA_LITE, "text/plain"]


@pytest.fixture
def judged() -> Iterator[evalsql.Warehouse]:
    with new_warehouse() as warehouse:
        yield warehouse


@pytest.mark.long
def test_how_judges_agree_is_a_heat_map(judged: evalsql.Warehouse) -> None:
    """Values are those of scikit-learn; the sets that agree most with all others stand first."""
    rng = random.Random(5)
    truth = {(f"t{topic}", f"d{at}"): rng.randrange(3) for topic in range(5) for at in range(20)}
    sets = {
        name: {pair: grade if rng.random() < share else rng.randrange(3) for pair, grade in truth.items()}
        for name, share in (("careless", 0.2), ("<b>fair</b>", 0.6), ("good", 0.9))
    }
    for name, grades in sets.items():
        nested: dict[str, dict[str, int]] = {}
        for (topic, document), grade in grades.items():
            nested.setdefault(topic, {})[document] = grade
        judged.load_qrels(nested, name)
    judged.load_qrels({"t0": {"other": 1}}, "elsewhere")
    for run in ("a", "b"):
        judged.load_run([(topic, document, rng.random()) for topic, document in truth], run, qrels="good")
    kappas = {
        (one, other): cohen_kappa_score([*sets[one].values()], [*sets[other].values()])
        for one, other in permutations(sets, 2)
    }
    means = {name: fmean(value for (one, _), value in kappas.items() if one == name) for name in sets}
    order = sorted(sets, key=lambda name: -means[name])
    found = drawing(judged, "judges", ["AP"]).rows
    assert found.picked("qrels", "other") == [(one, other) for one in order for other in order if one != other]
    expected = [kappas[one, other] for one, other in found.picked("qrels", "other")]
    assert found.values("kappa") == pytest.approx(expected)
    report = gather_report(judged, ["AP"], qrels="good", for_page=True)
    text = page(report, 3)
    cells = re.findall(r'style="background:color-mix\(in srgb, var\(--\w+\) \d+%, transparent\)">([^<]*)</div>', text)
    assert cells == [f"{kappa:.2f}".replace("-", "\u2212") for kappa in expected]
    assert "<b>fair</b>" not in text
    assert "Agreement of judgment sets" in WRITERS[".md"](gather_report(judged, ["AP"], qrels="good"), 4)
    assert "judges" not in gather_report(judged, ["AP"], qrels="good", without=["judges"]).tables
    judged.drop_qrels("careless")
    assert "judges" not in gather_report(judged, ["AP"], qrels="good").tables, "two sets are no map"
    judged.drop_qrels(["good"])
    with pytest.raises(UsageError, match="no document is judged by two sets"):
        drawing(judged, "judges", ["AP"])
