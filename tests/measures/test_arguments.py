"""Measures with arguments that other tests leave at their defaults, against plain loops on random collections."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import pytest

from evalsql import Warehouse
from tests.conftest import new_warehouse, random_warehouse
from tests.measures.topic_values import values
from tests.oracles import brute_force, brute_force_curves
from tests.oracles import brute_force_user_models as plain
from tests.oracles.brute_force_user_models import of_gains, of_listed, rate
from tests.random_collections import Collection, collection

SEEDS = range(60)
EXACT = 1e-9
Topic = Callable[[dict[str, int], dict[str, float]], float]
# Of every grade that the collections have, and of one that they lack. They lie within 0 to 1 or beyond on either side,
# touch these or all are one.
GAINS: tuple[dict[int, float], ...] = (
    {4: 3, 0: -1, 1: 1, 2: 0.5, 3: 2},
    {0: 0.1, 1: 0.5, 2: 1, 3: 0.2, 4: 0.9},
    {0: 0, 1: 0.25, 2: 0.5, 3: 0.4, 4: 0.1},
    {0: -1, 1: 1, 2: 0.5, 3: 0.25, 4: 0.75},
    {0: 0.5, 1: 1, 2: 2, 3: 3, 4: 4},
    {0: 0.5, 1: 0.75, 2: 1.5, 3: 1, 4: 1.25},
    {4: 7, 3: 2, 2: 3, 1: 1, 0: 0.5},
    {9: 8, 0: 0.5, 1: 1, 2: 2, 3: 3, 4: 4},
    {0: 2, 1: 2, 2: 2, 3: 2, 4: 2},
)
LOSSES = {0: -1.0, 1: 2.0, 2: 0.5, 3: 0.7, 4: -0.3}


def shown(gains: dict[int, float]) -> str:
    return ",".join(f"{grade}:{gain}" for grade, gain in gains.items())


PLAIN: dict[str, Topic] = {
    **{f"RBP_scaled(p=0.6,gains={{{shown(g)}}})": partial(brute_force.rbp_scaled, p=0.6, gains=g) for g in GAINS},
    "RBP_scaled(gains='0=2,3=5,*')": partial(brute_force.rbp_scaled, gains={0: 2, 3: 5}, others=True),
    "RBP_residual(p=0.7)@3": partial(brute_force.rbp_residual_at, k=3, p=0.7),
    "Utility(found=2,false_alarm=-0.5,missed=-0.75,rejected=0.25,collection=500)": partial(
        brute_force.utility, worth=(2, -0.5, -0.75, 0.25), size=500
    ),
    "Utility(rel=2,missed=-3)": partial(brute_force.utility, worth=(1, -1, -3, 0), size=0, rel=2),
    "Specificity(nonrelevant='judged',k=null)": partial(brute_force_curves.specificity, k=10**9, nonrelevant="judged"),
    "Rndcg(rel=2)": partial(brute_force.rndcg, rel=2),
    "Rndcg(gains={2:1,3:2})": partial(brute_force.rndcg, gains={2: 1, 3: 2}),
    "Rndcg(gains={0:0.5,1:1,2:3},rel=2)": partial(brute_force.rndcg, gains={0: 0.5, 1: 1, 2: 3}, rel=2),
    **{
        f"{name}(gains={{{shown(LOSSES)}}})": of_listed(value, LOSSES)
        for name, value in (
            ("P_plus", plain.p_plus),
            ("Q", plain.q_measure),
            ("R_measure", plain.r_measure),
            ("O_measure", plain.o_measure),
            ("AWP", plain.awp),
        )
    },
}
# Where no grade is above the least that is worth something, nothing is.
WORTHLESS: dict[str, Topic] = {
    f"{name}(min_rel={least},max_rel={most},depth=20)": of_gains(partial(rate, onward=onward, depth=20), most, least)
    for name, onward in (("INSQ", plain.insq_onward(1)), ("INST", plain.inst_onward(1)))
    for least, most in ((2, 2), (3, 2))
}
SHORT: dict[str, dict[str, Any]] = {
    "Compat": {"p": 0.95, "normalize": True},
    "Compat(p=0.6)": {"p": 0.6, "normalize": True},
    "Compat(normalize=false)": {"p": 0.95, "normalize": False},
}


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    with random_warehouse() as warehouse:
        yield warehouse


@pytest.mark.parametrize("name", [*PLAIN, *WORTHLESS])
def test_measures_equal_plain_loops(loaded: Warehouse, name: str) -> None:
    ours = values(loaded, name)
    found = set()
    for seed in SEEDS:
        one = collection(seed)
        for topic, grades in one.qrels.items():
            expected = {**PLAIN, **WORTHLESS}[name](grades, one.run.get(topic, {}))
            assert ours[f"{seed}", topic] == pytest.approx(expected, abs=EXACT), (seed, topic)
            found.add(round(expected, 6))
    if name in WORTHLESS or name.endswith(f"{{{shown(GAINS[-1])}}})"):
        assert found == {0.0}
    else:
        assert len(found) > 5


@pytest.mark.parametrize("name", ["P_plus", "P+(beta=5)"])
def test_the_preferred_rank_is_the_first_of_the_greatest_gain_retrieved(loaded: Warehouse, name: str) -> None:
    ours = values(loaded, name, "preferred_rank")
    for seed in SEEDS:
        one = collection(seed)
        for topic, grades in one.qrels.items():
            order = plain.graded(grades, one.run.get(topic, {}))
            expected = order.index(max(order)) + 1 if any(order) else 0
            assert ours[f"{seed}", topic] == expected, (seed, topic)


@cache
def short(name: str) -> Collection:
    """Rankings that are all shorter than what is relevant, most of it of the lowest grade; or of two documents."""
    chance = random.Random(6)
    least, most = (9, 30) if name == "short" else (2, 2)
    qrels = {
        f"t{at}": {f"d{number:02}": chance.choice((0, 1, 1, 1, 2)) for number in range(chance.randint(least, most))}
        for at in range(12)
    }
    run = {
        topic: {d: float(chance.randint(1, 3)) for d in chance.sample(sorted(grades), chance.randint(1, min(least, 3)))}
        for topic, grades in qrels.items()
    }
    return Collection(qrels, run)


def load_short(warehouse: Warehouse, name: str) -> None:
    warehouse.load_qrels(short(name).qrels, name)
    warehouse.load_run(short(name).run, name)


@pytest.mark.parametrize("name", ["short", "two"])
def test_rankings_shorter_than_the_ideal_one(name: str) -> None:
    """What a depth adds is summed for all rankings of the warehouse, down to the longest."""
    with new_warehouse() as warehouse:
        load_short(warehouse, name)
        for measure, options in SHORT.items():
            ours = values(warehouse, measure)
            for topic, grades in short(name).qrels.items():
                expected = plain.compat(grades, short(name).run[topic], **options)
                assert ours[name, topic] == pytest.approx(expected, abs=EXACT), (measure, topic)
