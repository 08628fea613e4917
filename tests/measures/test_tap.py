"""TAP with weights, given thresholds and short lists against the published program; the curve it is taken from."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from tests.conftest import new_warehouse
from tests.oracles import brute_force, peers
from tests.random_collections import Collection, collection, load_together

SEEDS = range(80)
EXACT = 1e-9
WEIGHTS = (0.1, 0.5, 1.0, 1.0, 2.0, 3.0, 7.25, 1e-6, 40.0)
# Arguments here beside reward_silence, which is always the program's, and its own options.
OPTIONS: dict[str, dict[str, object]] = {
    "k=1": {"k": 1},
    "k=2": {"k": 2},
    "k=5": {"k": 5},
    "k=2,quantile=0.3": {"k": 2, "quantile": 0.3},
    "k=2,quantile=0.9": {"k": 2, "quantile": 0.9},
    "k=1,quantile=1": {"k": 1, "quantile": 1.0},
    "k=2,weighted=false": {"k": 2, "unweighted": True},
    "k=3,insufficient='uncut'": {"k": 3, "pad_insufficient": True},
    "k=30,insufficient='uncut'": {"k": 30, "pad_insufficient": True},
    "k=1,quantile=1,insufficient='uncut',weighted=false": {
        "k": 1,
        "quantile": 1.0,
        "pad_insufficient": True,
        "unweighted": True,
    },
    "threshold=0.5": {"e0": 0.5},
    "threshold=-1.5": {"e0": -1.5},
    "threshold=1": {"e0": 1.0},
    "threshold=0.3,weighted=false": {"e0": brute_force.single(0.3), "unweighted": True},
    "threshold=1e9": {"e0": 1e9},
    "threshold=-1e9": {"e0": -1e9},
}


@cache
def weighted_collection(seed: int) -> tuple[Collection, dict[str, float]]:
    """A random collection, and weights for some of its topics."""
    one = collection(seed)
    chance = random.Random(seed)
    return one, {topic: chance.choice(WEIGHTS) for topic in one.qrels if chance.random() < 0.7}


def is_ascending(seed: int) -> bool:
    return seed % 3 == 0


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    """Every collection a judgment set with weights and a run, a third of them E-values."""
    with new_warehouse() as warehouse:
        for ascending in (False, True):
            runs = {f"{seed}": weighted_collection(seed)[0].run for seed in SEEDS if is_ascending(seed) == ascending}
            load_together(warehouse, runs, tie_rule="trec_eval", lower_is_better=ascending)
        for seed in SEEDS:
            one, weights = weighted_collection(seed)
            warehouse.load_qrels(one.qrels, f"{seed}", runs=[f"{seed}"])
            if weights:
                warehouse.load_weights(weights, f"{seed}")
        yield warehouse


@pytest.mark.parametrize("arguments", OPTIONS)
def test_every_option_equals_the_published_program(loaded: Warehouse, arguments: str) -> None:
    (measure,) = parse_measures([f"TAP(reward_silence=true,{arguments})"], loaded.catalog)
    ours = {
        (int(qrels), topic): row
        for qrels, topic, *row in loaded.rows(
            f"select qrels, topic, value, threshold, reached, weight from {measure.call}"
        )
    }
    means = {int(qrels): mean for qrels, _, mean in loaded.evaluate(measure.name).fetchall()}
    compared = stopped = 0
    for seed in SEEDS:
        one, weights = weighted_collection(seed)
        theirs = peers.tap_result(one.qrels, one.run, weights, ascending=is_ascending(seed), **OPTIONS[arguments])
        if theirs is None:
            assert {ours[seed, topic][2] for topic in one.qrels} == {False}, seed
            stopped += 1
            continue
        assert means[seed] == pytest.approx(theirs.tap, abs=EXACT), seed
        for query in theirs.queries:
            value, threshold, reached, weight = ours[seed, query.query]
            assert value == pytest.approx(query.tap, abs=EXACT), (seed, query)
            assert weight == query.weight
            if "threshold" in arguments:
                assert (brute_force.single(threshold), reached) == (theirs.e0, None)
            elif math.isnan(theirs.e0):
                assert (threshold, reached) == (None, False)
            else:
                assert brute_force.single(threshold) == theirs.e0, seed
                assert reached
            compared += 1
    assert compared > 100
    assert (stopped > 0) == ("threshold" not in arguments and "uncut" not in arguments)


def test_weights_move_thresholds_and_means(loaded: Warehouse) -> None:
    """The random weights would show an error: on many collections they change what is found."""
    both = "tap(k := 2) as plain join tap(k := 2, weighted := false) as flat using (qrels, run, topic)"
    ((moved,),) = loaded.rows(f"select count(distinct qrels) from {both} where plain.threshold <> flat.threshold")
    weighted, flat = (
        {qrels: mean for qrels, _, mean in loaded.evaluate(name).fetchall()}
        for name in ("TAP@2", "TAP(weighted=false)@2")
    )
    assert moved > 5
    assert sum(abs(weighted[seed] - flat[seed]) > 0.01 for seed in weighted) > 20
    assert loaded.rows("select distinct weight from tap(weighted := false)") == [(1.0,)]
    ((largest,),) = loaded.rows("""
        select max(abs(summary.value - mean)) from summary join (
            select qrels, sum(weight * value) / sum(weight) as mean from tap() group by qrels
        ) using (qrels) where measure = 'TAP@5'
    """)
    assert largest < 1e-12


@pytest.mark.parametrize("ties", ["rule", "worst", "best", "expected"])
def test_the_threshold_shown_gives_the_same_when_it_is_given(loaded: Warehouse, ties: str) -> None:
    compared = 0
    for seed in SEEDS[:10]:
        ((threshold,),) = loaded.rows(f"select distinct threshold from tap(k := 2) where qrels = '{seed}'")
        if threshold is None:
            continue
        found, given = (
            dict(loaded.rows(f"select topic, value from tap({cut}, ties := '{ties}') where qrels = '{seed}'"))
            for cut in ("k := 2", f"threshold := {threshold!r}")
        )
        assert given == pytest.approx(found, abs=1e-15), seed
        compared += 1
    assert compared > 7


def counts_at(one: Collection, threshold: float, *, ascending: bool) -> dict[str, int]:
    """False positives of each topic at a threshold, by plain loops."""
    sign = -1 if ascending else 1
    limit = brute_force.single(sign * threshold)
    return {
        topic: sum(
            grades.get(document, 0) < 1 and brute_force.single(sign * score) >= limit
            for document, score in one.run.get(topic, {}).items()
        )
        for topic, grades in one.qrels.items()
    }


@pytest.mark.parametrize(
    ("k", "quantile", "weighted"), [(1, 0.5, True), (2, 0.5, False), (5, 0.7, True), (2, 1.0, True), (60, 0.5, True)]
)
def test_the_curve_counts_what_plain_loops_count(loaded: Warehouse, k: int, quantile: float, weighted: bool) -> None:
    arguments = f"k := {k}, quantile := {quantile}, weighted := {weighted}"
    curves: dict[int, list[tuple[float, int, float, int, bool]]] = {}
    for qrels, *row in loaded.rows(
        f"select qrels, threshold, num_topics, share, false_positives, is_chosen from tap_curve({arguments})"
    ):
        curves.setdefault(int(qrels), []).append(tuple(row))
    chosen = dict(loaded.rows(f"select distinct qrels, threshold from tap({arguments})"))
    for seed in SEEDS[::2]:
        one, own = weighted_collection(seed)
        weights = {topic: own.get(topic, 1.0) if weighted else 1.0 for topic in one.qrels}
        total = math.fsum(weights.values())
        scores = {brute_force.single(score) for topic in one.qrels for score in one.run.get(topic, {}).values()}
        curve = curves.get(seed, [])
        assert {brute_force.single(threshold) for threshold, *_ in curve} == scores, seed
        for threshold, num_topics, share, false_positives, _ in curve:
            counts = counts_at(one, threshold, ascending=is_ascending(seed))
            assert num_topics == sum(count >= k for count in counts.values()), (seed, threshold)
            at_least = [
                math.fsum(weights[topic] for topic, count in counts.items() if count >= number) / total
                for number in range(1 + max(counts.values()))
            ]
            shown = math.fsum(weights[topic] for topic, count in counts.items() if count >= k) / total
            assert share == pytest.approx(shown, abs=1e-12)
            enough = [number for number, part in enumerate(at_least) if part >= quantile * (1 - 1e-12)]
            assert false_positives == max(enough), (seed, threshold)
        marked = [threshold for threshold, *_, is_chosen in curve if is_chosen]
        assert marked == ([chosen[f"{seed}"]] if curve else []), seed


def test_the_curve_of_a_run_that_is_not_cut_has_no_threshold(loaded: Warehouse) -> None:
    assert loaded.rows("select count(*) from tap_curve(k := 1000) where is_chosen") == [(len(SEEDS),)]
    assert loaded.rows("select count(*) from tap_curve(k := 1000, insufficient := 'uncut') where is_chosen") == [(0,)]


def test_the_curve_of_ranks_that_contradict_scores_has_the_threshold_of_tap(empty: Warehouse) -> None:
    """Under such a tie rule the k-th false positive is reached when all that stands above it is kept."""
    chance = random.Random(11)
    empty.load_qrels({f"t{n}": {f"d{d}": chance.choice((0, 0, 1)) for d in range(12)} for n in range(9)}, "judged")
    for name in ("up", "down"):
        run = {f"t{n}": {f"d{d}": float(chance.randint(0, 30)) for d in range(12)} for n in range(9)}
        empty.load_run(run, name, tie_rule="input", lower_is_better=name == "up")
    for k in (1, 2, 4, 50):
        chosen = empty.rows(f"select run, threshold from tap_curve(k := {k}) where is_chosen order by run")
        assert chosen == empty.rows(f"select distinct run, threshold from tap(k := {k}) order by run")
