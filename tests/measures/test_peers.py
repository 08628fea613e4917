"""Every measure on two hundred random collections against trec_eval, the TAP-k program and plain loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import RANDOM_SEEDS, new_warehouse, random_warehouse
from tests.oracles import brute_force, brute_force_tap, peers
from tests.random_collections import Collection, collection, load_together

SEEDS = RANDOM_SEEDS
EXACT = 1e-9
PLAIN: dict[str, Callable[[dict[str, int], dict[str, float]], float]] = {
    "FRS": brute_force.frs,
    "FRS(base=1.024)": partial(brute_force.frs, base=1.024),
    "Judged@10": brute_force.judged,
    "RBP": brute_force.rbp,
    "RBP(p=0.5,gains={1:0.5,2:1})": partial(brute_force.rbp, p=0.5, gains={1: 0.5, 2: 1.0}),
    "RBP_residual": brute_force.rbp_residual,
    "nDCG(dcg='exp-log2')@10": partial(brute_force.ndcg, gains={1: 1, 2: 3, 3: 7, 4: 15}, k=10),
    "nDCG(gains={0:0.25,1:0.5,2:0.9})@5": partial(brute_force.ndcg, gains={0: 0.25, 1: 0.5, 2: 0.9}, k=5),
}

Values = dict[tuple[int, str], float]


@pytest.fixture(scope="module")
def collections() -> dict[int, Collection]:
    return {seed: collection(seed) for seed in SEEDS}


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    """All collections in one warehouse, each a judgment set of its own with one run."""
    with random_warehouse() as warehouse:
        yield warehouse


def values(warehouse: Warehouse, measure: str) -> Values:
    call = parse_measures([measure], warehouse.catalog)[0].call
    return {
        (int(qrels), topic): value for qrels, topic, value in warehouse.rows(f"select qrels, topic, value from {call}")
    }


@pytest.mark.parametrize("level", [1, 2])
def test_measures_equal_trec_eval(loaded: Warehouse, collections: dict[int, Collection], level: int) -> None:
    theirs = {seed: peers.trec_eval(one.qrels, one.run, level) for seed, one in collections.items()}
    compared = 0
    for name, their_name in peers.at_level(level).items():
        ours = values(loaded, name)
        for seed, found in theirs.items():
            for topic, value in found.get(their_name, {}).items():
                assert ours[seed, topic] == pytest.approx(value, abs=EXACT), (name, seed, topic)
                compared += 1
    assert compared > 500 * len(peers.at_level(level))


def test_topics_missing_from_the_run_score_as_an_empty_ranking(
    loaded: Warehouse, collections: dict[int, Collection]
) -> None:
    missing = {(seed, topic) for seed, one in collections.items() for topic in one.qrels if topic not in one.run}
    assert len(missing) > 20
    for name in [*peers.BINARY, *peers.GRADED, *PLAIN, "TAP@5"]:
        if name == "NumRel":
            continue
        expected = {"GMAP": 0.00001, "RBP_residual": 1.0}.get(name, 0.0)
        ours = values(loaded, name)
        assert {ours[key] for key in missing} == {expected}, name


@pytest.mark.parametrize("name", PLAIN)
def test_measures_equal_plain_loops(loaded: Warehouse, collections: dict[int, Collection], name: str) -> None:
    ours = values(loaded, name)
    for seed, one in collections.items():
        for topic, grades in one.qrels.items():
            expected = PLAIN[name](grades, one.run.get(topic, {}))
            assert ours[seed, topic] == pytest.approx(expected, abs=EXACT), (seed, topic)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("quantile", [0.5, 0.7, 1.0])
def test_tap_equals_every_threshold_tried(
    loaded: Warehouse, collections: dict[int, Collection], k: int, quantile: float
) -> None:
    ours = values(loaded, f"TAP(quantile={quantile})@{k}")
    for seed, one in collections.items():
        system = brute_force_tap.System(one.run, "trec_eval", ascending=False)
        for topic, row in brute_force_tap.tap(one.qrels, system, {}, k=k, quantile=quantile).items():
            assert ours[seed, topic] == pytest.approx(row.value, abs=EXACT), (seed, topic)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("quantile", [0.5, 0.7, 1.0])
def test_tap_equals_the_published_program(
    loaded: Warehouse, collections: dict[int, Collection], k: int, quantile: float
) -> None:
    ours = values(loaded, f"TAP(quantile={quantile},reward_silence=true)@{k}")
    thresholds = {
        int(qrels): threshold
        for qrels, threshold in loaded.rows(
            f"select distinct qrels, threshold from tap(k := {k}, quantile := {quantile})"
        )
    }
    compared = 0
    for seed, one in collections.items():
        theirs = peers.tap(one.qrels, one.run, k, quantile)
        if theirs is None:
            continue
        threshold, by_topic = theirs
        compared += 1
        assert brute_force.single(thresholds[seed]) == threshold
        for topic, value in by_topic.items():
            assert ours[seed, topic] == pytest.approx(value, abs=EXACT), (seed, topic)
    assert compared > 20


def test_tap_of_e_values_equals_the_published_program(collections: dict[int, Collection]) -> None:
    compared = 0
    with new_warehouse() as warehouse:
        load_together(warehouse, {f"run {seed}": collections[seed].run for seed in SEEDS[:40]}, lower_is_better=True)
        for seed in SEEDS[:40]:
            warehouse.load_qrels(collections[seed].qrels, f"{seed}", runs=[f"run {seed}"])
        ours = values(warehouse, "TAP(reward_silence=true)@2")
        for seed in SEEDS[:40]:
            theirs = peers.tap(collections[seed].qrels, collections[seed].run, 2, ascending=True)
            for topic, value in (theirs[1] if theirs else {}).items():
                assert ours[seed, topic] == pytest.approx(value, abs=EXACT), (seed, topic)
                compared += 1
    assert compared > 50


def test_means_of_counts_are_sums_and_geometric_means_have_a_floor(loaded: Warehouse) -> None:
    ((_, _, total, geometric),) = loaded.evaluate("NumRet GMAP", runs=["run 7"]).fetchall()
    per_topic = loaded.rows("select value from num_ret where run = 'run 7'")
    logs = [math.log(value) for (value,) in loaded.rows("select value from gmap where run = 'run 7'")]
    assert total == sum(value for (value,) in per_topic)
    assert geometric == pytest.approx(math.exp(sum(logs) / len(logs)), abs=EXACT)
