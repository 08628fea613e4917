"""Where the worst and the best order of tied documents are not known, and that they are elsewhere."""

from __future__ import annotations

import math

import pytest

from evalsql import Warehouse
from tests.measures.test_ties import EXACT, orders, tied_collection
from tests.oracles import brute_force_user_models

# Goals of INST, and whether its worst and best values are unknown there.
GOALS = {0.25: True, 0.49: True, 0.5: False}
FALLING = "1=0.5,2=0.2,3=1"


@pytest.fixture
def tied(empty: Warehouse) -> Warehouse:
    qrels, run = tied_collection()
    empty.load_qrels(qrels, "tied")
    empty.load_run(run, "system")
    return empty


def test_inst_is_null_where_a_gain_can_make_the_reader_go_on(tied: Warehouse) -> None:
    """With a goal of a quarter the reader goes on for sure below a first document of gain 1."""
    gains = [1.0, 0.9]
    onward = brute_force_user_models.inst_onward(0.25)
    assert brute_force_user_models.rate(gains, onward, 7) < brute_force_user_models.rate(gains[::-1], onward, 7)
    for t, unknown in GOALS.items():
        for ties in ("worst", "best"):
            values = tied.rows(f"select value from inst(t := {t}, ties := '{ties}')")
            assert {value is None for (value,) in values} == {unknown}
    assert tied.rows("select count(*) from inst(t := 0.25) where value is null") == [(0,)]


def test_gap_is_null_where_a_greater_grade_is_less(tied: Warehouse) -> None:
    """With grade 2 below grade 1 a document of it first is good for some least grades and bad for others."""
    qrels, run = tied_collection()
    values: dict[str, list[float]] = {}
    # Where no document has grade 2, grade 3 takes its chance.
    for topic, scores in run.items():
        chances = {1: 0.5, 2: -0.3, 3: 0.8} if 2 in qrels[topic].values() else {1: 0.5, 3: 0.5}
        values[topic] = [brute_force_user_models.gap(qrels[topic], order, chances) for order in orders(scores)]
    falling = {topic for topic, grades in qrels.items() if {1, 2} <= set(grades.values())}
    for ties, pick in (("worst", min), ("best", max)):
        ours = dict(tied.rows(f"select topic, value from gap(gains := '{FALLING}', ties := '{ties}')"))
        assert {topic for topic, value in ours.items() if value is None} == falling
        known = {topic: pick(numbers) for topic, numbers in values.items() if topic not in falling}
        assert {topic: ours[topic] for topic in known} == pytest.approx(known, abs=EXACT), ties
    ours = dict(tied.rows(f"select topic, value from gap(gains := '{FALLING}', ties := 'expected')"))
    means = {topic: math.fsum(numbers) / len(numbers) for topic, numbers in values.items()}
    assert ours == pytest.approx(means, abs=EXACT)
