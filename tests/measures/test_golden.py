"""The golden cases under fixtures/: printed by the source texts, or computed by hand in the case's README."""

from __future__ import annotations

import csv
import re
from functools import cache

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from tests.conftest import FIXTURES, new_warehouse
from tests.golden_cases import CASES, load_judgments

pytestmark = pytest.mark.fast

CATALOG = read_catalog()
EXAMPLES = [(relation.name, example) for relation in CATALOG.measures for example in relation.header.examples]


@cache
def loaded(case: str, tie_rule: str = "trec_eval") -> Warehouse:
    warehouse = new_warehouse()
    load_judgments(warehouse, FIXTURES / case, "case")
    warehouse.load_runs(str(FIXTURES / case / "runs" / "*"), tie_rule=tie_rule)
    if (FIXTURES / case / "e-values").exists():
        warehouse.load_runs(str(FIXTURES / case / "e-values" / "*"), tie_rule=tie_rule, lower_is_better=True)
    return warehouse


@cache
def topic_values(case: str, tie_rule: str, measure: str) -> dict[tuple[str, str], dict[str, float]]:
    """The numbers in each row of the measure by run and topic: planning a query takes longer than answering it."""
    call = parse_measures([measure], CATALOG)[0].call
    answer = loaded(case, tie_rule).sql(f"from {call}")
    rows = [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
    return {(row["run"], row["topic"]): row for row in rows}


@cache
def means(case: str, tie_rule: str, measure: str) -> dict[str, float]:
    return {run: value for _, run, value in loaded(case, tie_rule).evaluate(measure).fetchall()}


def value_of(case: str, run: str, topic: str, measure: str, column: str = "value", rule: str = "trec_eval") -> float:
    if topic == "all":
        return float(means(case, rule, measure)[run])
    return float(topic_values(case, rule, measure)[run, topic][column])


def tolerance(printed: str) -> float:
    """Half a unit of the last digit printed, and a hair for halves."""
    return 0.5001 * 10.0 ** -len(printed.partition(".")[2])


@pytest.mark.parametrize("case", [case.name for case in CASES])
def test_case_gives_what_its_source_prints(case: str) -> None:
    tables = sorted((FIXTURES / case).glob("expected*.tsv"))
    assert tables
    for table in tables:
        tie_rule = table.name.removeprefix("expected").removesuffix(".tsv").removeprefix(".") or "trec_eval"
        with table.open(newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
        assert rows
        for row in rows:
            value = value_of(case, row["run"], row["topic"], row["measure"], row["column"], tie_rule)
            assert value == pytest.approx(float(row["expected"]), abs=tolerance(row["expected"])), row


@pytest.mark.parametrize(("relation", "example"), EXAMPLES)
def test_example_in_the_header_holds(relation: str, example: str) -> None:
    match = re.fullmatch(r"(\S+) (\S+) = (\S+)", example)
    assert match is not None
    case, measure, printed = match.groups()
    assert parse_measures([measure], CATALOG)[0].relation.name == relation
    value = value_of(case, "system", "all", measure)
    assert value == pytest.approx(float(printed), abs=tolerance(printed))


@pytest.mark.parametrize(("case", "printed"), [("tap-1", 0.312), ("tap-2", 0.228), ("tap-3", 0.277)])
def test_tap_means_as_printed_come_from_rounded_topics(case: str, printed: float) -> None:
    """The note averages its three-decimal values: 0.312 for 0.3114 in the first example."""
    values = loaded(case).rows("select round(value + 1e-9, 3) from tap(k := 5)")
    assert sum(value for (value,) in values) / len(values) == pytest.approx(printed, abs=0.0005)
