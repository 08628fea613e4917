"""TAP with weights, given thresholds and short lists against the published program and plain loops; its curve."""

import math
import random
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

import pandas as pd
import pytest

from evalsql import InputWarning, Warehouse
from tests.conftest import module_warehouse
from tests.long_cases import few_of, one_in
from tests.measures import plain_measures
from tests.measures.topic_values import call, values
from tests.oracles import brute_force, brute_force_tap, peers
from tests.oracles.brute_force_tap import System
from tests.oracles.by_name import parts
from tests.random_collections import Collection, Qrels, collection, load_together

SEEDS = range(40)
EXACT = 1e-9
WEIGHTS = (0.1, 0.5, 1.0, 1.0, 2.0, 3.0, 7.25, 1e-6, 40.0)
NAMES, NAMES_OF_LISTS = plain_measures.NAMES["TAP"], plain_measures.NAMES["TAP of lists"]


def rewarding_silence(name: str) -> str:
    return name.replace("TAP(", "TAP(reward_silence=true,").replace("TAP@", "TAP(reward_silence=true)@")


def options_of(name: str) -> dict[str, Any]:
    _, cutoff, options = parts(name)
    return {**options, **({"k": cutoff[0]} if cutoff else {})}


def of_the_program(options: Mapping[str, Any]) -> dict[str, Any]:
    """The same in the program's own options."""
    names = {"threshold": "e0", "weighted": "unweighted", "insufficient": "pad_insufficient"}
    given = {names.get(name, name): value for name, value in options.items()}
    given |= {name: True for name in ("unweighted", "pad_insufficient") if name in given}
    return given | ({"e0": brute_force.single(given["e0"])} if "e0" in given else {})


@cache
def weighted_collection(seed: int) -> tuple[Collection, dict[str, float]]:
    """A random collection, and weights for some of its topics."""
    one = collection(seed)
    chance = random.Random(seed)
    return one, {topic: chance.choice(WEIGHTS) for topic in one.qrels if chance.random() < 0.7}


def is_ascending(seed: int) -> bool:
    return seed % 3 == 0


def load_weighted(warehouse: Warehouse) -> None:
    """Every collection a judgment set with weights and a run, a third of them E-values."""
    for ascending in (False, True):
        runs = {f"{seed}": weighted_collection(seed)[0].run for seed in SEEDS if is_ascending(seed) == ascending}
        load_together(warehouse, runs, tie_rule="trec_eval", lower_is_better=ascending)
    for seed in SEEDS:
        one, weights = weighted_collection(seed)
        warehouse.load_qrels(one.qrels, f"{seed}", runs=[f"{seed}"])
        if weights:
            warehouse.load_weights(weights, f"{seed}")


loaded = module_warehouse(load_weighted)


@pytest.mark.parametrize("name", one_in(18, NAMES))
def test_every_option_equals_the_published_program(loaded: Warehouse, name: str) -> None:
    asked, options = rewarding_silence(name), options_of(name)
    rows = loaded.rows(f"select qrels, topic, value, threshold, reached, weight from {call(loaded, asked)}")
    ours = {(int(qrels), topic): row for qrels, topic, *row in rows}
    means = {int(qrels): mean for qrels, _, mean in loaded.evaluate(asked).fetchall()}
    compared = stopped = 0
    for seed in SEEDS:
        one, weights = weighted_collection(seed)
        theirs = peers.tap(one.qrels, one.run, weights, ascending=is_ascending(seed), **of_the_program(options))
        if theirs is None:
            assert {ours[seed, topic][2] for topic in one.qrels} == {False}, seed
            stopped += 1
            continue
        assert means[seed] == pytest.approx(theirs.tap, abs=EXACT), seed
        for query in theirs.queries:
            value, threshold, reached, weight = ours[seed, query.query]
            assert value == pytest.approx(query.tap, abs=EXACT), (seed, query)
            assert weight == query.weight
            if math.isnan(theirs.e0):
                assert (threshold, reached) == (None, False)
            else:
                expected = (theirs.e0, None if "threshold" in options else True)
                assert (brute_force.single(threshold), reached) == expected, seed
            compared += 1
    assert compared > 40
    assert (stopped > 0) == ("threshold" not in options and "insufficient" not in options)


def test_weights_move_thresholds_and_means(loaded: Warehouse) -> None:
    """The random weights would show an error: on many collections they change what is found."""
    both = "tap(k := 2) as plain join tap(k := 2, weighted := false) as flat using (qrels, run, topic)"
    ((moved,),) = loaded.rows(f"select count(distinct qrels) from {both} where plain.threshold <> flat.threshold")
    weighted, flat = (
        {qrels: mean for qrels, _, mean in loaded.evaluate(name).fetchall()}
        for name in ("TAP@2", "TAP(weighted=false)@2")
    )
    assert moved > 2
    assert sum(abs(weighted[seed] - flat[seed]) > 0.01 for seed in weighted) > 10
    assert loaded.rows("select distinct weight from tap(weighted := false)") == [(1.0,)]
    ((largest,),) = loaded.rows("""
        select max(abs(summary.value - mean)) from summary join (
            select qrels, sum(weight * value) / sum(weight) as mean from tap() group by qrels
        ) using (qrels) where measure = 'TAP@5'
    """)
    assert largest < 1e-12


@pytest.mark.parametrize("ties", few_of(["expected", "rule", "worst", "best"], 1))
def test_the_threshold_shown_gives_the_same_when_it_is_given(loaded: Warehouse, ties: str) -> None:
    found = values(loaded, f"TAP(ties='{ties}')@2")
    thresholds = dict(loaded.rows("select distinct qrels, threshold from tap(k := 2) where threshold is not null"))
    assert len(thresholds) > 7
    for qrels in [*thresholds][:10]:
        given = values(loaded, f"TAP(threshold={thresholds[qrels]!r},ties='{ties}')")
        expected = {key: value for key, value in found.items() if key[0] == qrels}
        assert {key: given[key] for key in expected} == pytest.approx(expected, abs=1e-15), qrels


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
    ("k", "quantile", "weighted"),
    one_in(2, [(1, 0.5, True), (2, 0.5, False), (5, 0.7, True), (2, 1.0, True), (60, 0.5, True)]),
)
def test_the_curve_counts_what_plain_loops_count(loaded: Warehouse, k: int, quantile: float, weighted: bool) -> None:
    arguments = f"k := {k}, quantile := {quantile}, weighted := {weighted}"
    curves: dict[int, list[tuple[float, int, float, int, bool]]] = {}
    for qrels, *row in loaded.rows(
        f"select qrels, threshold, num_topics, share, false_positives, is_chosen from tap_curve({arguments})"
    ):
        curves.setdefault(int(qrels), []).append(tuple(row))
    chosen = dict(loaded.rows(f"select distinct qrels, threshold from tap({arguments})"))
    for seed in SEEDS:
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


# Each tie rule, with runs that several judgment sets share

TIE_RULES = ("trec_eval", "trec_eval_10", "rank", "input")
COLUMNS = ("value", "threshold", "num_kept", "reached", "weight")
# Scores that tie, that differ by less than 32-bit floats or by little more, and that these floats do not hold.
POOLS = (
    (1.0, 2.0, 3.0, 4.0),
    (1.0, 1.0 + 1e-9, 1 - 6e-8, 1 - 2e-8, 1 + 1.3e-7),
    (0.0, 1e-46, -1e-46, -1.0, 1e-30, -1e-30),
    (1e39, -1e39, 1e40, -1e40, 3.4e38, -3.4e38, 3.4028235e38, 1.0),
    (1.7976931348623157e308, -1.7976931348623157e308, 5.0, -5.0),
)


@cache
def judged() -> tuple[dict[str, Qrels], dict[str, dict[str, float]]]:
    """Judgment sets that share some topics, and weights for some topics of each."""
    chance = random.Random(19)
    sets: dict[str, Qrels] = {}
    weights: dict[str, dict[str, float]] = {}
    for name in (f"judged {number}" for number in range(6)):
        topics = chance.sample([f"t{number}" for number in range(6)], chance.randint(1, 6))
        sets[name] = {
            topic: {
                "missed": chance.choice((0, 0, 1)),
                **{f"d{at}": chance.choice((-1, 0, 0, 1, 1, 2, 3)) for at in range(7) if chance.random() < 0.7},
            }
            for topic in topics
        }
        weights[name] = {topic: chance.choice((0.5, 2.0, 9.0)) for topic in topics if chance.random() < 0.6}
    return sets, weights


@cache
def systems() -> dict[str, System]:
    """Three runs of each tie rule, the first two of them with lower scores for better ones."""
    chance = random.Random(20)
    found = {}
    for tie_rule in TIE_RULES:
        for number, pools in enumerate((POOLS[:1], POOLS, POOLS)):
            lists = {}
            for nth in range(6):
                documents = chance.sample([f"d{at}" for at in range(7)], chance.randint(1, 6))
                if chance.random() < 0.9:
                    lists[f"t{nth}"] = {document: chance.choice(pools[nth % len(pools)]) for document in documents}
            found[f"{tie_rule} {number}"] = System(lists, tie_rule, ascending=number < 2)
    return found


def load_lists(warehouse: Warehouse) -> None:
    sets, weights = judged()
    for name, qrels in sets.items():
        warehouse.load_qrels(qrels, name)
        if weights[name]:
            warehouse.load_weights(weights[name], name)
    for name, system in systems().items():
        rows = [
            (topic, document, rank, score)
            for topic, scores in system.lists.items()
            for rank, (document, score) in enumerate(scores.items(), start=1)
        ]
        frame = pd.DataFrame(rows, columns=["topic", "document", "rank", "score"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            warehouse.load_run(frame, name, qrels=["*"], tie_rule=system.tie_rule, lower_is_better=system.ascending)


lists = module_warehouse(load_lists)


@pytest.mark.parametrize("name", few_of(NAMES_OF_LISTS, 0))
def test_each_option_under_each_tie_rule(lists: Warehouse, name: str) -> None:
    sets, weights = judged()
    rows = lists.rows(f"select qrels, run, topic, {', '.join(COLUMNS)} from {call(lists, name)}")
    ours = {(qrels, run, topic): row for qrels, run, topic, *row in rows}
    compared = 0
    for qrels, judgments in sets.items():
        for run, system in systems().items():
            expected = brute_force_tap.tap(judgments, system, weights[qrels], **options_of(name))
            for topic, (value, *others) in expected.items():
                assert ours[qrels, run, topic] == [pytest.approx(value, abs=EXACT), *others], (qrels, run, topic)
                compared += 1
    assert compared == len(ours) > 200
    assert len({round(row[0], 6) for row in ours.values()}) > 10


def test_effects_of_ties_are_means_by_weight(lists: Warehouse) -> None:
    effects, _ = lists.ties("TAP@2")
    found = {(qrels, run): values for qrels, run, _, *values in effects.fetchall()}
    means = []
    for name in ("TAP@2", "TAP(ties='worst')@2", "TAP(ties='expected')@2", "TAP(ties='best')@2"):
        query = f"select qrels, run, sum(weight * value) / sum(weight) from {call(lists, name)} group by all"
        means.append({(qrels, run): mean for qrels, run, mean in lists.rows(query)})
    assert len(found) == len(judged()[0]) * len(systems())
    assert found == {key: [pytest.approx(each[key], abs=1e-12) for each in means] for key in means[0]}
    assert sum(worst < ruled < best for ruled, worst, _, best in found.values()) > 5
