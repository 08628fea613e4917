"""A least grade of 2 gives what the same judgments give when their grades of 2 are 1 and those of 1 are 0."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evalsql import Warehouse
from evalsql.catalog.relations import read_catalog
from tests.conftest import new_warehouse
from tests.random_collections import collection, load_together

SEEDS = range(20)
FAMILIES = ("binary", "classification", "counts")
TAKING = [
    relation
    for relation in read_catalog().measures
    if relation.family in FAMILIES and any(each.name == "rel" for each in relation.parameters)
]
CURVES = ("pr_curve", "pr_curve_mean", "roc_curve", "roc_curve_pooled", "roc_areas", "task_ratings")
OF_JUDGED = ("auc", "roc", "fpr", "specificity", "roc_curve", "roc_curve_pooled", "roc_areas")
CALLS = (
    *(f"{name}(rel := {{}})" for name in dict.fromkeys((*(relation.name for relation in TAKING), *CURVES))),
    *(f"{name}(nonrelevant := 'judged', rel := {{}})" for name in OF_JUDGED),
)


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[Warehouse, Warehouse]]:
    """Judgments as they are, and with one grade less."""
    with new_warehouse() as graded, new_warehouse() as lowered:
        for warehouse in (graded, lowered):
            load_together(warehouse, {f"run {seed}": collection(seed).run for seed in SEEDS})
        for seed in SEEDS:
            one = collection(seed)
            less = {
                topic: {document: min(grade, 0) if grade < 2 else grade - 1 for document, grade in grades.items()}
                for topic, grades in one.qrels.items()
            }
            for warehouse, qrels in ((graded, one.qrels), (lowered, less)):
                warehouse.load_qrels(qrels, f"{seed}", runs=[f"run {seed}"])
        yield graded, lowered


@pytest.mark.parametrize("call", CALLS)
def test_a_higher_level_is_as_if_grades_were_lower(loaded: tuple[Warehouse, Warehouse], call: str) -> None:
    high, low = (
        warehouse.rows(f"select * from {call.format(level)} order by all")
        for warehouse, level in zip(loaded, (2, 1), strict=True)
    )
    assert len(high) == len(low)
    for one, other in zip(high, low, strict=True):
        assert [each if isinstance(each, str) else pytest.approx(each, abs=1e-12) for each in one] == list(other)
    assert len({tuple(row[2:]) for row in high}) > 1


def test_no_cutoff_is_one_that_no_ranking_reaches(loaded: tuple[Warehouse, Warehouse]) -> None:
    graded, _ = loaded
    for call in ("success(k := {})", "fpr(nonrelevant := 'judged', k := {})", "specificity(k := {})"):
        whole, far = (graded.rows(f"select * from {call.format(k)} order by all") for k in ("null", "1000000"))
        assert whole == far, call
        assert len({row[3] for row in whole}) > 1, call
