"""Measures compiled for other engines are executed there, and give what DuckDB gives.

This is the short form: ``python -m tests.engines`` executes every measure with every order of ties, and on other data.
"""

from functools import cache

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import new_warehouse
from tests.engines.hosts import Row
from tests.engines.runs import DEMANDED, ENGINES, demand, difference, outcome, running, short, values

pytestmark = pytest.mark.engines


@cache
def expected(small: Warehouse, name: str) -> list[Row]:
    """What DuckDB's macro gives, asked once for all engines."""
    (measure,) = parse_measures([name], small.catalog)
    return values(small, measure)


@pytest.mark.parametrize("engine", ENGINES)
def test_measures_equal_those_of_duckdb(small: Warehouse, engine: str) -> None:
    demand(engine)
    measures = short(small.catalog, engine)
    with running(engine, small) as host:
        found = {
            each.name: outcome(host, engine, each, small.catalog, expected(small, each.name))
            for each in (measures if DEMANDED else measures[::4])
        }
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
                assert outcome(host, "postgres", measure, warehouse.catalog, values(warehouse, measure)) == "equal"


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
