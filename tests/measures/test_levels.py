"""A least grade of 2 gives what the same judgments give when their grades of 2 are 1 and those of 1 are 0."""

import pytest

from evalsql import Warehouse
from evalsql.catalog.relations import read_catalog
from tests.conftest import module_warehouse
from tests.long_cases import one_in
from tests.random_collections import together

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


def load(warehouse: Warehouse) -> None:
    """Judgments as they are, and with one grade less."""
    one = together(range(20))
    lowered = {
        topic: {document: min(grade, 0) if grade < 2 else grade - 1 for document, grade in grades.items()}
        for topic, grades in one.qrels.items()
    }
    warehouse.load_qrels(one.qrels, "graded")
    warehouse.load_qrels(lowered, "lowered")
    warehouse.load_run(one.run, "system", qrels=["*"])


loaded = module_warehouse(load)


@pytest.mark.parametrize("call", one_in(6, CALLS))
def test_a_higher_level_is_as_if_grades_were_lower(loaded: Warehouse, call: str) -> None:
    high, low = (
        loaded.rows(f"select * exclude (qrels) from {call.format(level)} where qrels = '{qrels}' order by all")
        for qrels, level in (("graded", 2), ("lowered", 1))
    )
    assert len(high) == len(low)
    for one, other in zip(high, low, strict=True):
        assert [each if isinstance(each, str) else pytest.approx(each, abs=1e-12) for each in one] == list(other)
    assert len({each for row in high for each in row[2:]}) > 1


def test_no_cutoff_is_one_that_no_ranking_reaches(loaded: Warehouse) -> None:
    for call in ("success(k := {})", "fpr(nonrelevant := 'judged', k := {})", "specificity(k := {})"):
        whole, far = (loaded.rows(f"select * from {call.format(k)} order by all") for k in ("null", "1000000"))
        assert whole == far, call
        assert len({row[3] for row in whole}) > 1, call
