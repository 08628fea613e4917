"""``evalsql which``: figures of other packages are traced to the convention that they document."""

import json
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import pytrec_eval
from ranx import Qrels, Run, evaluate

import evalsql
from evalsql.catalog.ddl import relation_query
from tests.conftest import SAMPLE, Command, assert_refused, write

QRELS, RUN = SAMPLE / "qrels.txt", SAMPLE / "runs" / "tfidf.run"
# Measure as one would name it, where the figure comes from, and the convention that this documents.
FIGURES = [
    ("AP", "pytrec_eval map", "topics answered only"),
    ("Bpref", "pytrec_eval bpref", "topics answered only"),
    ("nDCG", "pytrec_eval ndcg", "topics answered only"),
    ("nDCG@10", "ir_measures nDCG(dcg='exp-log2')@10", "gains 2^grade - 1"),
    ("AP", "ir_measures AP(rel=2)", "relevant from grade 2"),
    ("P@10", "ir_measures P(rel=2)@10", "relevant from grade 2"),
    ("P@10", "ir_measures P(judged_only=True)@10", "unjudged documents removed"),
    ("nDCG@10", "ir_measures nDCG(judged_only=True)@10", "unjudged documents removed"),
    ("ERR@20", "ir_measures ERR@20", "as asked"),
    ("nDCG@10", "ranx ndcg_burges@10", "gains 2^grade - 1"),
    ("R@10", "ranx recall@10-l2", "relevant from grade 2"),
    ("nDCG@20", "ir_measures nDCG@10", "cutoff 10"),
]


def figure_of(source: str) -> float:
    program, _, name = source.partition(" ")
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for each in ir_measures.read_trec_qrels(str(QRELS)):
        qrels.setdefault(each.query_id.strip("T"), {})[each.doc_id] = each.relevance  # gdeval wants numbers
    for each in ir_measures.read_trec_run(str(RUN)):
        run.setdefault(each.query_id.strip("T"), {})[each.doc_id] = each.score
    if program == "pytrec_eval":
        values = [each[name] for each in pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run).values()]
        return float(sum(values) / len(values))
    if program == "ranx":
        return float(evaluate(Qrels(qrels), Run(run), name, make_comparable=True))
    measure = ir_measures.parse_measure(name)
    return float(ir_measures.calc_aggregate([measure], qrels, run)[measure])


@pytest.mark.parametrize("at", [pytest.param(at, marks=[pytest.mark.long] * (at != 4)) for at in range(len(FIGURES))])
def test_a_figure_is_traced_to_what_its_package_documents(command: Command, at: int) -> None:
    measure, source, convention = FIGURES[at]
    figure = f"{figure_of(source):.5f}"
    more = ["--cutoffs"] if "cutoff" in convention else []
    outcome = command("which", str(QRELS), str(RUN), measure, figure, *more, "--format", "json")
    assert outcome.returncode == 0, (outcome.stdout, outcome.stderr)
    found = [row["convention"] for row in json.loads(outcome.stdout)]
    assert convention in found, (figure, found)
    assert found[0] == convention


@pytest.mark.long
def test_what_no_convention_gives_is_said_with_the_nearest(command: Command, tmp_path: Path) -> None:
    outcome = command("which", str(QRELS), str(RUN), "AP", "0.99991", "--format", "json", "--most", "2")
    assert outcome.returncode == 1
    rows = json.loads(outcome.stdout)
    assert len(rows) == 2
    assert not any(row["fits"] for row in rows)
    assert rows[0]["distance"] <= rows[1]["distance"]
    assert "no convention" in outcome.stderr
    given = [str(QRELS), str(RUN)]
    assert_refused(command("which", *given, "AP"), "give a measure and its figure")
    assert_refused(command("which", *given, "AP", "high"), '"high" is no figure')
    table = write(tmp_path / "figures.csv", "system,AP,team\ntfidf,.5x,\n")
    assert_refused(command("which", *given, "--values", str(table)), "figures.csv:2", "is no number")
    table = write(tmp_path / "figures.jsonl", '{"system": "tfidf", "measure": ["AP"], "value": 0.5}\n')
    assert_refused(command("which", *given, "--values", str(table)), "no measures are called ['AP']")
    table = write(tmp_path / "figures.csv", "system,AP,team\nother,.5,\n")
    assert_refused(command("which", *given, "--values", str(table)), "a system goes by its run's name")


def test_a_value_fits_to_the_digits_of_the_figure(empty: evalsql.Warehouse) -> None:
    """Halves of the last digit either way, percentages, and a convention that a simpler one makes needless."""

    def found(figure: str, *means: tuple[str, str, str, float]) -> list[tuple[Any, ...]]:
        listed = ", ".join(
            f"('r', '{measure}', '{rule}', '{topics}', {value})" for measure, rule, topics, value in means
        )
        inputs = {
            "figures": f"select 'r' as system, 'M' as asked, '{figure}' as figure",
            "conventions": "select * from (values ('M', 'M', []::varchar[], 1.0), ('M', 'M2', ['other'], 1.0)) "
            "as listed(asked, measure, changes, greatest)",
            "found_means": f"select * from (values {listed}) as listed(run, measure, tie_rule, topics, value)",
        }
        query = relation_query(empty.catalog, "figure_conventions", inputs)
        return empty.rows(f"select convention, fits, is_needed from ({query}) order by num_changes, convention")

    assert found(".42", ("M", "trec_eval", "all", 0.425)) == [("as asked", True, True)]
    assert found(".42", ("M", "trec_eval", "all", 0.4251)) == [("as asked", False, True)]
    assert found(".43", ("M", "trec_eval", "all", 0.425)) == [("as asked", True, True)]
    assert found("42.5", ("M", "trec_eval", "all", 0.4253)) == [("as asked", True, True)]
    assert found("1", ("M", "trec_eval", "all", 0.6)) == [("as asked", True, True)]
    assert found(
        "0.5",
        ("M", "trec_eval", "all", 0.3),
        ("M", "input", "all", 0.5),
        ("M2", "trec_eval", "all", 0.3),
        ("M2", "input", "retrieved", 0.5),
    ) == [
        ("as asked", False, True),
        ("order of the lines", True, True),
        ("other", False, False),
        ("other, order of the lines, topics answered only", True, False),
    ]
