"""The cases: their values are the exact program's, a person's arithmetic, trec_eval's and evalsql's own."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import pytrec_eval
from mpmath import mp, mpf

import evalsql
from evalsql import conformance
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.cli.conformance import trec_names
from evalsql.conformance import check
from tests.conformance import fill
from tests.conformance.exact import AXES

SUITE = conformance.suite()
Row = dict[str, Any]
_EQUATION = re.compile(r"`([^`]+) = (-?[\d.]+)`")
_LEAST = 1.5e-4  # what two values must differ by, so that four decimals tell them apart


def test_what_is_kept_is_what_the_exact_program_gives() -> None:
    for name, text in fill.files().items():
        assert (fill.FOLDER / name).read_text(encoding="utf-8") == text, name


def test_each_case_has_the_form_of_the_schema() -> None:
    schema = json.loads((SUITE.folder / "case.schema.json").read_text(encoding="utf-8"))
    for name, case in SUITE.cases.items():
        jsonschema.validate(case, schema)
        for row in case["expected"]:
            assert row["variant"] in SUITE.variants[check.form_of(row["measure"])], name
            for axis, options in row.get("conventions", {}).items():
                assert set(options) < SUITE.conventions[axis].keys(), name


def test_a_person_finds_the_values() -> None:
    """The arithmetic in each note is right, is about a value that the case expects, and leaves none out."""
    for name, case in SUITE.cases.items():
        worked = [(_worked_out(left), right) for left, right in _EQUATION.findall(case["note"])]
        expected = [row["value"] for row in case["expected"]]
        for value, right in worked:
            decimals = len(right.partition(".")[2])
            assert abs(value - mpf(right)) <= mpf("0.5000001") * mpf(10) ** -max(decimals, 4), (name, right)
            assert any(abs(value - each) < 1e-12 for each in expected), (name, right)
        assert worked, name
        if case["separates"] != "all of it":
            for each in expected:
                assert any(abs(value - each) < 1e-12 for value, _ in worked), (name, each)
        for row in case["expected"]:
            assert abs(_worked_out(row["exact"]) - row["value"]) < 1e-15 * max(1, abs(row["value"])), (name, row)


def _worked_out(text: str) -> Any:
    """The value of fractions, powers and log2, by mpmath."""
    assert re.fullmatch(r"(log2\(|[\d.+*/^() -])+", text), text
    numbers = re.sub(r"(?<![\w.])(\d+\.?\d*)", r"mpf('\1')", text.replace("^", "**"))
    return eval(numbers, {"mpf": mpf, "log2": lambda number: mp.log(number) / mp.log(2)})


def test_no_two_cases_are_the_same_and_values_are_far_enough_apart() -> None:
    files = [
        tuple((SUITE.folder / name / each).read_text(encoding="utf-8") for each in ("qrels.txt", "run.txt"))
        for name in SUITE.cases
    ]
    assert len({*files}) == len(files) >= 50
    for name, case in SUITE.cases.items():
        for measure in {row["measure"] for row in case["expected"]}:
            rows = [row for row in case["expected"] if row["measure"] == measure]
            values = {row["value"] for row in (*rows, *_faults(name, measure))}
            for one, other in itertools.combinations(values, 2):
                assert abs(one - other) > _LEAST, (name, measure, one, other)


def _faults(case: str, measure: str) -> list[Row]:
    return [dict(row) for row in SUITE.faults[case] if row["measure"] == measure]


def test_every_variant_convention_and_fault_is_told_from_every_other() -> None:
    """By values under the conventions that come first, and conventions by those of one variant."""
    first = {axis: next(iter(options)) for axis, options in AXES.items()}
    by_name: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    apart: dict[str, set[frozenset[str]]] = {axis: set() for axis in AXES}
    for name, case in SUITE.cases.items():
        for row in (*case["expected"], *SUITE.faults[name]):
            held = row.get("conventions", {})
            called = row.get("variant") or f"fault: {row['fault']}"
            if all(first[axis] in options for axis, options in held.items()):
                values = by_name.setdefault((check.form_of(row["measure"]), called), {})
                values[name, row["measure"]] = row["value"]
            for axis, options in held.items():
                others = set(AXES[axis]) - set(options)
                apart[axis] |= {frozenset(pair) for pair in itertools.product(options, others)}
    for (one, ours), (other, theirs) in itertools.combinations(by_name.items(), 2):
        if one[0] == other[0]:
            assert any(abs(ours[key] - theirs[key]) > _LEAST for key in ours.keys() & theirs.keys()), (one, other)
    for axis, named in AXES.items():
        assert apart[axis] >= {frozenset(pair) for pair in itertools.combinations(named, 2)}, axis


def rows_of(variants: dict[str, str], **conventions: str) -> Iterator[tuple[str, Row]]:
    """The rows of these variants by kind of measure that hold under conventions, else under the first ones."""
    chosen = {axis: next(iter(options)) for axis, options in AXES.items()} | {
        axis.replace("_", " "): option for axis, option in conventions.items()
    }
    for name, case in SUITE.cases.items():
        for row in case["expected"]:
            if variants.get(check.form_of(row["measure"])) == row["variant"] and all(
                chosen[axis] in options for axis, options in row.get("conventions", {}).items()
            ):
                yield name, row


def test_trec_eval_9_gives_what_is_said_of_it() -> None:
    forms = {form: "trec_eval" for form, variants in SUITE.variants.items() if "trec_eval" in variants}
    names, num_checked = trec_names(), 0
    for case, row in rows_of(forms, topics="answered"):
        measure, _, cutoff = row["measure"].partition("@")
        described = SUITE.cases[case]
        if (measure, bool(cutoff)) not in names or described.get("may_refuse"):
            continue
        called = names[measure, bool(cutoff)] + (f".{cutoff}" if cutoff else "")
        qrels, run = check.read_data(SUITE.folder / case)
        values = pytrec_eval.RelevanceEvaluator(qrels, {called}).evaluate(run).values()
        found = [value for each in values for value in each.values()]
        assert sum(found) / len(found) == pytest.approx(row["value"], abs=1e-12), (case, row)
        num_checked += 1
    assert num_checked > 200


CLAIMS = {
    **dict.fromkeys(["P@k", "R@k", "AP", "AP@k", "RR", "RR@k", "nDCG", "nDCG@k", "Success@k"], "trec_eval"),
    **{"Rprec": "trec_eval", "Bpref": "trec_eval", "DCG@k": "linear", "F@k": "cutoff", "Judged@k": "retrieved"},
    **{"ERR": "gdeval", "ERR@k": "gdeval", "RBP": "moffat"},
}
# What evalsql computes too: parameters of its measures, how runs are loaded, variants, and conventions meant by these.
OTHERWISE: list[tuple[str, dict[str, Any], dict[str, str], dict[str, str]]] = [
    ("", {}, CLAIMS, {}),
    ("", {"tie_rule": "trec_eval_10"}, CLAIMS, {"ties": "trec_eval 10"}),
    ("", {"tie_rule": "rank"}, CLAIMS, {"ties": "rank column"}),
    ("", {"tie_rule": "input"}, CLAIMS, {"ties": "file order"}),
    ("ties=expected", {"tie_rule": "trec_eval_10"}, CLAIMS, {"ties": "mean of orders"}),
    ("dcg='exp-log2'", {}, dict.fromkeys(["nDCG", "nDCG@k", "DCG@k"], "burges"), {}),
    (
        "judged_only=true",
        {},
        {form: name for form, name in CLAIMS.items() if form[:3] not in ("Jud", "Bpr")},
        {"unjudged": "removed"},
    ),
]


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judgments and runs of the cases that evalsql takes, each topic under its case's name."""
    folder = tmp_path_factory.mktemp("together")
    for name in ("qrels.txt", "run.txt"):
        lines = [
            f"{case}|{line}\n"
            for case, described in SUITE.cases.items()
            if not described.get("may_refuse")
            for line in (SUITE.folder / case / name).read_text(encoding="utf-8").splitlines()
        ]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.mark.filterwarnings("ignore::evalsql.errors.InputWarning")
@pytest.mark.parametrize("at", [pytest.param(at, marks=[pytest.mark.long] * (at > 0)) for at in range(len(OTHERWISE))])
def test_evalsql_gives_what_it_claims(empty: evalsql.Warehouse, together: Path, at: int) -> None:
    parameters, how, variants, conventions = OTHERWISE[at]
    rows = [(case, row) for case, row in rows_of(variants, **conventions) if "may_refuse" not in SUITE.cases[case]]
    asked = {row["measure"]: _canonical(_with(row["measure"], parameters)) for _, row in rows}
    empty.load_qrels(together / "qrels.txt", "all")
    empty.load_runs(together / "run.txt", **how)
    query = empty.evaluation.scores_query(list(asked.values()), per_topic=True)
    values: dict[tuple[str, str], list[float]] = {}
    for _, _, topic, measure, value in empty.rows(query):
        values.setdefault((topic.partition("|")[0], measure), []).append(value)
    for case, row in rows:
        found = values[case, asked[row["measure"]]]
        assert sum(found) / len(found) == pytest.approx(row["value"], abs=1e-12), (case, row)
    assert len(rows) > 20


def _with(measure: str, parameters: str) -> str:
    name, sign, cutoff = measure.partition("@")
    return f"{name}({parameters}){sign}{cutoff}" if parameters else measure


def _canonical(name: str) -> str:
    return parse_measures([name], read_catalog())[0].name
