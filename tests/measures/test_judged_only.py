"""Rankings of judged documents only: equal to rankings from which the others were taken."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import Measure
from evalsql.catalog.relations import Relation, read_catalog
from tests.conftest import module_warehouse
from tests.measures.topic_values import values
from tests.random_collections import together

SEEDS = range(60)
OF_GROUPS = ("groups", "diversity")
TAKING = [
    relation
    for relation in read_catalog().measures
    if any(each.name == "judged_only" for each in relation.parameters) and relation.family not in OF_GROUPS
]


def load(warehouse: Warehouse) -> None:
    """Two runs: as it is, and without the documents that have no grade of 0 or more."""
    one = together(SEEDS)
    kept = {
        topic: {document: score for document, score in scores.items() if one.qrels[topic].get(document, -1) >= 0}
        for topic, scores in one.run.items()
        if topic in one.qrels
    }
    warehouse.load_qrels(one.qrels, "judged")
    warehouse.load_run(one.run, "all")
    warehouse.load_run({topic: scores for topic, scores in kept.items() if scores}, "kept")


loaded = module_warehouse(load)


def variants(relation: Relation) -> Iterator[Measure]:
    """The measure at its default and another cutoff, in every order of ties."""
    defaults = {parameter.name: parameter.default for parameter in relation.parameters}
    choices = next((parameter.choices for parameter in relation.parameters if parameter.name == "ties"), ["rule"])
    for cut in ({}, {"k": 3} if "k" in defaults else {"rel": 2} if "rel" in defaults else {"p": 0.4}):
        for ties in choices:
            yield Measure(relation, {**defaults, **cut, **({"ties": ties} if "ties" in defaults else {})})


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)], ids=["two", "every"])
@pytest.mark.parametrize("relation", TAKING, ids=lambda relation: relation.name)
def test_others_left_out_here_or_before(loaded: Warehouse, relation: Relation, every: bool) -> None:
    differing = 0
    measures = list(variants(relation))
    for measure in measures if every else measures[:: max(1, len(measures) - 1)]:
        narrowed = Measure(relation, {**measure.arguments, "judged_only": True})
        ours, found = (values(loaded, each.name, "run, topic") for each in (narrowed, measure))
        before = {topic: value for (run, topic), value in found.items() if run == "kept"}
        assert len(before) > 100
        assert {topic: ours["all", topic] for topic in before} == pytest.approx(before, abs=1e-12), measure.name
        differing += sum(abs(found["all", topic] - value) > 1e-9 for topic, value in before.items())
    assert differing > 20
