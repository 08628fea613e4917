"""Measures compiled for other engines are executed there, and give what DuckDB gives.

This is the short form: ``python -m tests.engines`` executes every measure with every order of ties, and on other data.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.engines.inlining import inlined
from tests.conftest import new_warehouse
from tests.engines.collections import small_warehouse
from tests.engines.hosts import Row
from tests.engines.runs import ENGINES, difference, missing, outcome, running, short, values

pytestmark = pytest.mark.engines
DEMANDED = bool(os.environ.get("EVALSQL_DEMAND_ENGINES"))


@pytest.fixture(scope="module")
def small() -> Iterator[Warehouse]:
    with small_warehouse() as warehouse:
        yield warehouse


@pytest.fixture(scope="module")
def expected(small: Warehouse) -> Callable[[Measure], list[Row]]:
    """What DuckDB's macros give, each asked once for all engines."""
    known: dict[str, list[Row]] = {}

    def ask(measure: Measure) -> list[Row]:
        if measure.name not in known:
            known[measure.name] = values(small, measure)
        return known[measure.name]

    return ask


def demand(engine: str) -> None:
    if lacking := missing(engine):
        assert not DEMANDED, f"{engine} needs {lacking}"
        pytest.skip(f"{engine} needs {lacking}")


@pytest.mark.parametrize("engine", ENGINES)
def test_measures_equal_those_of_duckdb(
    small: Warehouse, expected: Callable[[Measure], list[Row]], engine: str
) -> None:
    demand(engine)
    found: dict[str, str] = {}
    with running(engine, small) as host:
        for measure in short(small.catalog, engine):
            whole = inlined(small.catalog, measure.relation, measure.arguments)
            found[measure.name] = outcome(host, engine, measure, whole, expected(measure))
    assert {name: word for name, word in found.items() if word not in ("equal", "refused")} == {}
    # What is not executed cannot be wrong: most are.
    assert list(found.values()).count("equal") >= 0.8 * len(found)


def test_postgresql_takes_products_of_powers_that_are_too_small_for_a_number() -> None:
    demand("postgres")
    documents = [f"d{number}" for number in range(1200)]
    with new_warehouse() as warehouse:
        warehouse.load_qrels({"q": dict.fromkeys(documents, 1)}, "many relevant")
        warehouse.load_run({"q": documents}, "all of them")
        with running("postgres", warehouse) as host:
            for measure in parse_measures(["NRBP", "nNRBP", "IFT"], warehouse.catalog):
                whole = inlined(warehouse.catalog, measure.relation, measure.arguments)
                assert outcome(host, "postgres", measure, whole, values(warehouse, measure)) == "equal"


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ([("q", "r", "t", 0.5 + 1e-11)], "is 0.5 here"),
        ([("q", "r", "t", None)], "is 0.5 here, None there"),
        ([("q", "r", "u", 0.5)], "1 rows here, 1 there"),
        ([], "1 rows here, 0 there"),
        ([("q", "r", "t", 0.5), ("q", "r", "t", 0.5)], "1 rows here, 2 there"),
    ],
)
def test_a_difference_is_found(there: list[tuple[object, ...]], words: str) -> None:
    here = [("q", "r", "t", 0.5)]
    assert words in str(difference(here, there))
    assert difference(here, here) is None
