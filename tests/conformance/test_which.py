"""``evalsql which``: figures of other packages are traced to the convention that they document."""

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import pytrec_eval
from ranx import Qrels, Run, evaluate

import evalsql
from evalsql import conformance
from evalsql.catalog.queries import relation_query
from evalsql.conformance import check
from evalsql.warehouse.figures import Figure, compared_query
from tests.conformance import exact
from tests.conftest import SAMPLE, Command, assert_refused, new_warehouse, write

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
    outcome = command("which", str(QRELS), str(RUN), "AP", "0.99991", "--format", "json", "--limit", "2")
    assert outcome.returncode == 1
    rows = json.loads(outcome.stdout)
    assert len(rows) == 2
    assert not any(row["fits"] for row in rows)
    assert rows[0]["distance"] <= rows[1]["distance"]
    assert "no convention" in outcome.stderr
    assert "give the figure too" not in outcome.stderr
    given = [str(QRELS), str(RUN)]
    assert_refused(command("which", *given, "AP"), "give a measure and its figure")
    assert_refused(command("which", *given, "AP", "high"), '"high" is no figure')
    table = write(tmp_path / "figures.csv", "system,AP,team\ntfidf,.5x,\n")
    assert_refused(command("which", *given, "--values", str(table)), "figures.csv:2", "is no number")
    table = write(tmp_path / "figures.jsonl", '{"system": "tfidf", "measure": ["AP"], "value": 0.5}\n')
    assert_refused(command("which", *given, "--values", str(table)), "no measures are called ['AP']")
    table = write(tmp_path / "figures.csv", "system,AP,team\nother,.5,\n")
    assert_refused(command("which", *given, "--values", str(table)), "a system goes by its run's name")


SUITE = conformance.suite()
CASES = [name for name, case in SUITE.cases.items() if not case.get("may_refuse")]
# What ``which`` calls variants and options of conventions, where it is not what the cases say of them.
WORDS = {
    **dict.fromkeys(["linear", "gdeval", "moffat", "F@k cutoff", "Judged@k retrieved"], ""),
    "burges": "gains 2^grade - 1",
    "graded": "gains by grade",
    "jarvelin": "discounts by log2(rank) from rank 2 on, as in the article of 2002",
    "greatest": "greatest grade of the judgments",
    "id ascending": "ties by name from the beginning",
    "trec_eval 10": "scores as 64-bit numbers",
    "input order": "ties in the order of the lines",
    "input order reversed": "ties in the order of the lines from the end",
    "file order": "order of the lines",
    "rank column": "order of the rank column",
    "mean of orders": "mean over all orders of ties",
    "answered": "topics answered only",
    "of the run": "topics of the run, those without judgments count 0",
    "left out": "topics without relevant documents left out",
    "one": "topics without relevant documents count 1",
    "removed": "unjudged documents removed",
    "as given": "negative grades as",
}
OF_ERR = re.compile(r"(.*)(?: / 4|, the greatest grade being 4)")
UNSORTED = "takes the ideal list in the order of the judgments, not sorted"  # which is not kept


def in_words(row: Mapping[str, Any], choice: Sequence[str]) -> list[str]:
    """All that ``which`` may say of a row of a case under one choice of conventions."""
    said, variant = [WORDS[option] for option in choice if option in WORDS], row["variant"]
    if fault := row.get("fault", ""):
        if found := OF_ERR.fullmatch(fault):
            fault = found[1] if "," in fault else f"{found[1]} / greatest grade"
        elif row["measure"].startswith("ERR"):
            said.append(WORDS["greatest"])
        if fault.endswith(", with gains 2^grade - 1"):
            fault = fault.removesuffix(", with gains 2^grade - 1")
            said.append(WORDS["burges"])
        said.append(fault)
    elif variant != "trec_eval":
        form = check.form_of(row["measure"])
        said.append(WORDS.get(f"{form} {variant}", WORDS.get(variant, SUITE.variants[form][variant])))
    return said


def traced(case: str, figures: Sequence[Figure]) -> dict[Figure, list[str]]:
    """The conventions that give figures of a case's run."""
    found: dict[Figure, list[str]] = {each: [] for each in figures}
    with new_warehouse() as warehouse:
        warehouse.load_qrels(SUITE.folder / case / "qrels.txt", "qrels")
        query, _ = compared_query(warehouse, [str(SUITE.folder / case / "run.txt")], [*found])
        columns = "system, asked, figure, convention"
        for *figure, convention in warehouse.rows(f"select {columns} from ({query}) where fits and is_needed"):
            found[Figure(*figure)].append(convention)
    return found


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::evalsql.errors.InputWarning")
@pytest.mark.parametrize("case", CASES)
def test_variants_and_faults_of_a_case_are_traced(case: str) -> None:
    """By the exact value of each, printed with six digits; nothing is said but of that variant and its conventions."""
    rows = [
        *SUITE.cases[case]["expected"],
        *({**row, "variant": ""} for row in SUITE.faults[case] if row["fault"] != UNSORTED),
    ]
    figures = [Figure("run", row["measure"], f"{row['value']:.6f}") for row in rows]
    found = traced(case, figures)
    for row, figure in zip(rows, figures, strict=True):
        held = row.get("conventions", {})
        # Of few faults there is a mean without trying all orders, and grades below 0 are added up by gains alone.
        if "fault" in row and (held.get("ties") == ["mean of orders"] or row["value"] < 0):
            continue
        allowed = [in_words(row, choice) for choice in itertools.product(*held.values())]
        assert any(is_part(each, words) for each in found[figure] for words in allowed), (row, found[figure])


def is_part(convention: str, words: Sequence[str]) -> bool:
    """Whether a convention says some of these words and nothing else."""
    left = re.sub(r"(gains by grade) [\d=.,]*\d|(negative grades as) \w+", r"\1\2", convention)
    for each in sorted(words, key=len, reverse=True):
        left = left.replace(each, "") if each else left
    return left == "as asked" or not left.strip("; ")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::evalsql.errors.InputWarning")
def test_the_best_and_the_worst_order_of_ties_are_those_of_all_orders() -> None:
    case = exact.read_case(SUITE.folder / "ties-of-three")
    (grades,), (rows,) = case.qrels.values(), case.rows.values()
    relevant = {document for document, grade in grades.items() if grade > 0}
    ways = exact.orders(rows, {"ties": "mean of orders", "duplicates": "best kept"})
    ranks = {min(way.index(document) + 1 for document in relevant) for way in ways}
    best, worst = (Figure("run", "RR", f"{1 / rank:.6f}") for rank in (min(ranks), max(ranks)))
    found = traced("ties-of-three", [best, worst])
    assert best != worst
    assert {"best order of ties", "as asked"} & {*found[best]}
    assert {"worst order of ties", "as asked"} & {*found[worst]}


def test_a_value_fits_to_the_digits_of_the_figure(empty: evalsql.Warehouse) -> None:
    """Halves of the last digit either way, percentages, and a convention that a simpler one makes needless."""

    def found(figure: str, *means: tuple[str, str, str, float]) -> list[tuple[Any, ...]]:
        listed = ", ".join(
            f"('r', 'qrels', '{measure}', '{order}', '{topics}, zero', {value})"
            for measure, order, topics, value in means
        )
        inputs = {
            "figures": f"select 'r' as system, 'M' as asked, '{figure}' as figure",
            "conventions": "select * from (values ('M', 'M', []::varchar[], '1', false), "
            "('M', 'M2', ['other'], '1', false)) as listed(asked, measure, changes, greatest, has_losses)",
            "found_means": f"select * from (values {listed}) "
            "as listed(run, judgments, measure, document_order, topics, value)",
        }
        query = relation_query(empty.catalog, "figure_conventions", inputs)
        return empty.rows(f"select convention, fits, is_needed from ({query}) order by num_changes, convention")

    assert found(".42", ("M", "trec_eval", "judged", 0.425)) == [("as asked", True, True)]
    assert found(".42", ("M", "trec_eval", "judged", 0.4251)) == [("as asked", False, True)]
    assert found(".43", ("M", "trec_eval", "judged", 0.425)) == [("as asked", True, True)]
    assert found("42.5", ("M", "trec_eval", "judged", 0.4253)) == [("as asked", True, True)]
    assert found("1", ("M", "trec_eval", "judged", 0.6)) == [("as asked", True, True)]
    assert found("1.43", ("M", "trec_eval", "judged", 0.0143)) == [("as asked", True, True)]
    assert found("1.43", ("M@\tadds grades", "trec_eval", "judged", 1.4321)) == [("adds grades", True, True)]
    assert found(
        "0.5",
        ("M", "trec_eval", "judged", 0.3),
        ("M", "input", "judged", 0.5),
        ("M2", "trec_eval", "judged", 0.3),
        ("M2", "input", "answered", 0.5),
    ) == [
        ("as asked", False, True),
        ("order of the lines", True, True),
        ("other", False, False),
        ("other; order of the lines; topics answered only", True, False),
    ]
