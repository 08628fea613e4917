"""The golden cases under fixtures/: printed by the source texts, or computed by hand in the case's README."""

import csv
import re
from functools import cache
from itertools import chain

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from tests.conftest import loaded_once, open_held
from tests.golden_cases import CASES, load_judgments, load_run
from tests.measures.topic_values import call

pytestmark = pytest.mark.fast

CATALOG = read_catalog()
EXAMPLES = [(relation.name, example) for relation in CATALOG.measures for example in relation.header.examples]
TABLES = [
    (case.name, table.name.removeprefix("expected").removesuffix(".tsv").removeprefix(".") or "trec_eval", table)
    for case in CASES
    for table in sorted(case.glob("expected*.tsv"))
]
PRINTED = [
    (case, rule, list(csv.DictReader(table.read_text().splitlines(), delimiter="\t"))) for case, rule, table in TABLES
]


def load_golden(warehouse: Warehouse) -> None:
    """Every case as a judgment set, with its runs by each tie rule of which there are values."""
    for case in CASES:
        load_judgments(warehouse, case, case.name)
    for name, rule, table in TABLES:
        for path in chain(*(table.parent.glob(f"{folder}/*") for folder in ("runs", "e-values", "calls"))):
            falling, call = path.parent.name == "e-values", "call" if path.parent.name == "calls" else None
            run = f"{name} {rule} {path.stem}"
            load_run(warehouse, table.parent, path, run, tie_rule=rule, lower_is_better=falling, call=call)
            for costs in table.parent.glob(f"costs/{path.stem}.*"):
                warehouse.load_costs(costs, run=run)


@cache
def loaded() -> Warehouse:
    return open_held(loaded_once("golden.duckdb", load_golden))


@cache
def topic_values(measure: str) -> dict[tuple[str, str, str], dict[str, float]]:
    """The numbers in each row of the measure: planning a query takes longer than answering it."""
    columns, rows = loaded().database.table(f"from {call(loaded(), measure)}")
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    return {(row["qrels"], row["run"], row["topic"]): row for row in found}


@cache
def means() -> dict[str, dict[tuple[str, str], float]]:
    """By measure the means of runs: asked together, the measures take a tenth of the time of each alone."""
    asked = [row["measure"] for *_, rows in PRINTED for row in rows if row["topic"] == "all"]
    measures = [*dict.fromkeys([*asked, *(example.split()[1] for _, example in EXAMPLES)])]
    rows = loaded().evaluate(measures).fetchall()
    assert {len(row) for row in rows} == {2 + len(measures)}
    return {measure: {row[:2]: row[at] for row in rows} for at, measure in enumerate(measures, start=2)}


def value_of(name: tuple[str, str], row: dict[str, str]) -> float:
    """What is computed of the judgment set and the run for a row that a source prints."""
    if row["topic"] == "all":
        return means()[row["measure"]][name]
    return topic_values(row["measure"])[(*name, row["topic"])][row["column"]]


def tolerance(printed: str) -> float:
    """Half a unit of the last digit printed, and a hair for halves."""
    return 0.5001 * 10.0 ** -len(printed.partition(".")[2])


def test_cases_give_what_their_sources_print() -> None:
    for case, rule, rows in PRINTED:
        assert rows, case
        for row in rows:
            value = value_of((case, f"{case} {rule} {row['run']}"), row)
            assert value == pytest.approx(float(row["expected"]), abs=tolerance(row["expected"])), (case, row)


def test_every_case_has_values() -> None:
    assert {case.name for case in CASES} == {name for name, *_ in TABLES}


def test_examples_in_the_headers_hold() -> None:
    for relation, example in EXAMPLES:
        match = re.fullmatch(r"(\S+) (\S+) = (\S+)", example)
        assert match is not None, example
        case, measure, printed = match.groups()
        assert parse_measures([measure], CATALOG)[0].relation.name == relation, example
        value = means()[measure][case, f"{case} trec_eval system"]
        assert value == pytest.approx(float(printed), abs=tolerance(printed)), example


@pytest.mark.parametrize(("case", "printed"), [("tap-1", 0.312), ("tap-2", 0.228), ("tap-3", 0.277)])
def test_tap_means_as_printed_come_from_rounded_topics(case: str, printed: float) -> None:
    """The note averages its three-decimal values: 0.312 for 0.3114 in the first example."""
    values = loaded().rows("select round(value + 1e-9, 3) from tap(k := 5) where qrels = ?", [case])
    assert sum(value for (value,) in values) / len(values) == pytest.approx(printed, abs=0.0005)
