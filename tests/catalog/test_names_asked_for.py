"""A name that is not there is an error in relations that take names of runs, judgment sets, systems or measures."""

from collections.abc import Iterator
from typing import Any

import pytest

import evalsql
from evalsql import QueryError
from evalsql.catalog.relations import BUILDABLE, Relation, read_catalog
from tests.conftest import load_sample, module_warehouse
from tests.long_cases import few_of

CATALOG = read_catalog()
COMPLAINT = r"nosuch, and no.* is called so"

# By parameter a name that is there.
NAMES = {
    **{"baseline": "bm25", "run": "dense", "expanded": "dense", "other": "bm25", "runs": "bm25,dense"},
    **{"names": "sample,other", "qrels": "sample", "reference": "sample", "judge": "other"},
    **{"measure": "AP", "quality_measure": "AP", "cost_measure": "latency_ms"},
}
AS_WELL = {
    **{"measure_agreement": {"reference": "AP"}, "run_agreements": {"reference": "AP"}},
    "corrections": {"of": "differences"},
}
# Other engines compute this step too, and have no function that raises an error; known_runs stands before it.
COMPILED = {"named_runs"}
# Lists of numbers, keys of what was loaded of topics and runs, and the cost of a measure, which other engines compute.
OTHER_TEXT = {"gains", "points", "weights", "group_key", "name"}


def _texts() -> Iterator[tuple[Relation, str]]:
    for relation in CATALOG.of_kind(*(kind for kind in BUILDABLE if kind != "functions")):
        for each in relation.parameters if not relation.header.inputs else ():
            if each.type == "varchar" and not (each.domain or "").startswith("{"):
                yield relation, each.name


def _load(warehouse: evalsql.Warehouse) -> None:
    load_sample(warehouse, "bm25", "dense", "tfidf", "hybrid", "random")
    warehouse.annotate(["bm25", "tfidf"], meta={"family": "sparse"})
    warehouse.load_qrels({"T01": {"doc-0133": 1}, "T02": {"doc-0001": 1}}, "other", runs="*")
    warehouse.load_costs([{"run": run, "topic": "T01", "latency_ms": 2.0} for run in ("bm25", "dense")])


loaded = module_warehouse(_load)
ASKED = sorted({relation.name for relation, parameter in _texts() if parameter in NAMES} - COMPILED)


def test_each_text_is_a_name_or_known_to_be_none() -> None:
    assert {parameter for _, parameter in _texts()} == NAMES.keys() | OTHER_TEXT


@pytest.mark.parametrize("name", few_of(ASKED, 4))
def test_a_name_that_is_not_there_is_an_error(loaded: evalsql.Warehouse, name: str) -> None:
    given = {each: NAMES[each] for relation, each in _texts() if relation.name == name and each in NAMES}
    given |= AS_WELL.get(name, {})

    def rows(**arguments: str) -> list[Any]:
        listed = ", ".join(f"{parameter} := '{value}'" for parameter, value in arguments.items())
        return loaded.rows(f"select * from {CATALOG.schemas.get(name, 'main')}.{name}({listed})")

    assert rows(**given)
    for parameter in given.keys() & NAMES.keys():
        with pytest.raises(QueryError, match=COMPLAINT):
            rows(**given | {parameter: "nosuch"})


def test_a_name_is_looked_for_where_there_is_but_one(sample: evalsql.Warehouse) -> None:
    for asked in ("cohen_kappa(names := 'nosuch')", "qrels_agreement(reference := 'nosuch')"):
        with pytest.raises(QueryError, match=COMPLAINT):
            sample.rows(f"from {asked}")


def test_nobody_is_asked_for_in_an_empty_warehouse(empty: evalsql.Warehouse) -> None:
    for name in ("board_means", "compared_lists", "corrections", "pareto_front", "rank_changes", "run_agreements"):
        assert empty.rows(f"from {name}()") == [], name
