"""Every method and norm of fusion gives the scores of ranx, on runs without ties.

Not compared as it stands is Condorcet fusion with circles or even pairs, where ranx's order changes from one process to
the next. It is compared where majorities are clear and no circle is among them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest

# It compiles for minutes otherwise.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
import ranx
from ranx.fusion import (
    bayesfuse_train,
    mapfuse_train,
    posfuse_train,
    probfuse_train,
    segfuse_train,
    slidefuse_train,
)

from evalsql import Warehouse
from tests.conftest import new_warehouse
from tests.long_cases import one_in
from tests.random_collections import Qrels, Run

NAMES = ("one", "two", "three")
NORMS = {"min-max": "min-max", "max": "max", "sum": "sum", "z-score": "zmuv", "rank": "rank", "borda": "borda"}
RUNS = "runs := 'one,two,three'"
WEIGHTS, GIVEN = [0.5, 0.2, 1.5], "weights := '0.5,0.2,1.5'"
# Relation, its arguments, ranx's name, its parameters.
OF_SCORES = [
    ("comb_sum", "", "sum", {}),
    ("comb_sum", GIVEN, "wsum", {"weights": WEIGHTS}),
    ("comb_mnz", "", "mnz", {}),
    ("comb_mnz", GIVEN, "wmnz", {"weights": WEIGHTS}),
    ("comb_gmnz", "gamma := 0.7", "gmnz", {"gamma": 0.7}),
    ("comb_anz", "", "anz", {}),
    ("comb_max", "", "max", {}),
    ("comb_min", "", "min", {}),
    ("comb_med", "", "med", {}),
    ("mixed_fuse", GIVEN, "mixed", {"weights": WEIGHTS}),
]
OF_RANKS = [
    ("rrf", "", "rrf", {}),
    ("rrf", "k := 7", "rrf", {"k": 7}),
    ("rbc", "phi := 0.6", "rbc", {"phi": 0.6}),
    ("isr", "", "isr", {}),
    ("log_isr", "", "log_isr", {}),
    ("logn_isr", "sigma := 0.3", "logn_isr", {"sigma": 0.3}),
    ("borda_fuse", "", "bordafuse", {}),
    ("borda_fuse", GIVEN, "w_bordafuse", {"weights": WEIGHTS}),
]


def rankings(least: float) -> dict[str, Run]:
    """Three runs of the same topics, each of some of the same documents, scores without ties."""
    chance = random.Random(22)
    runs: dict[str, Run] = {name: {} for name in NAMES}
    for number in range(14):
        documents = [f"d{at}" for at in range(chance.randint(6, 45))]
        for name in NAMES:
            found = chance.sample(documents, chance.randint(2, len(documents)))
            runs[name][f"q{number:02}"] = {document: chance.uniform(least, 9) for document in found}
    return runs


def judgments() -> Qrels:
    chance = random.Random(23)
    return {f"q{number:02}": {f"d{at}": chance.choice((0, 0, 1, 2)) for at in range(30)} for number in range(14)}


def theirs(runs: dict[str, Run], method: str, norm: str | None, parameters: dict[str, object]) -> Run:
    fused = ranx.fuse([ranx.Run(run) for run in runs.values()], norm=norm, method=method, params=parameters)
    return {topic: {str(each): float(score) for each, score in found.items()} for topic, found in fused.run.items()}


def ours(warehouse: Warehouse, relation: str, *arguments: str) -> Run:
    found: Run = {}
    for topic, document, score in warehouse.rows(f"from {relation}({', '.join(filter(None, arguments))})"):
        found.setdefault(topic, {})[document] = score
    return found


def check(found: Run, expected: Run) -> None:
    assert found.keys() == expected.keys()
    for topic, scores in expected.items():
        assert found[topic] == pytest.approx(scores, rel=1e-9, abs=1e-9), topic


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        warehouse.load_qrels(judgments(), "judged")
        for name, run in rankings(-3).items():
            warehouse.load_run(run, name)
        yield warehouse


@pytest.mark.parametrize(
    ("relation", "arguments", "method", "parameters", "norm"),
    one_in(5, [(*case, norm) for case in OF_SCORES for norm in NORMS]),
)
def test_scores_are_fused_as_ranx_does(
    loaded: Warehouse, relation: str, arguments: str, method: str, parameters: dict[str, object], norm: str
) -> None:
    found = ours(loaded, relation, RUNS, arguments, f"norm := '{norm}'")
    check(found, theirs(rankings(-3), method, NORMS[norm], parameters))


def test_scores_are_fused_as_they_are(loaded: Warehouse) -> None:
    check(ours(loaded, "comb_sum", RUNS, "norm := 'none'"), theirs(rankings(-3), "sum", None, {}))


@pytest.mark.parametrize(("relation", "arguments", "method", "parameters"), OF_RANKS)
def test_ranks_are_fused_as_ranx_does(
    loaded: Warehouse, relation: str, arguments: str, method: str, parameters: dict[str, object]
) -> None:
    check(ours(loaded, relation, RUNS, arguments), theirs(rankings(-3), method, None, parameters))


def test_inverted_min_max_is_that_of_runs_whose_lower_scores_are_better() -> None:
    runs = rankings(-3)
    with new_warehouse() as warehouse:
        for name, run in runs.items():
            warehouse.load_run(run, name, lower_is_better=True)
        check(ours(warehouse, "comb_sum", RUNS), theirs(runs, "sum", "min-max-inverted", {}))


@pytest.mark.parametrize(
    ("relation", "arguments", "method", "train", "parameters"),
    [
        ("pos_fuse", "", "posfuse", posfuse_train, {}),
        ("slide_fuse", "w := 2", "slidefuse", slidefuse_train, {"w": 2}),
        ("prob_fuse", "segments := 4", "probfuse", lambda qrels, runs: probfuse_train(qrels, runs, 4), {}),
        ("seg_fuse", "", "segfuse", segfuse_train, {}),
        ("seg_fuse", "norm := 'z-score'", "segfuse", segfuse_train, {}),
    ],
)
def test_what_is_learnt_from_all_topics_is_as_in_ranx(
    loaded: Warehouse, relation: str, arguments: str, method: str, train: object, parameters: dict[str, object]
) -> None:
    runs = [ranx.Run(run) for run in rankings(-3).values()]
    learnt = train(ranx.Qrels(judgments()), runs)  # type: ignore[operator]
    norm = "zmuv" if "z-score" in arguments else "min-max"
    expected = theirs(rankings(-3), method, norm, {"probs": learnt, **parameters})
    check(ours(loaded, relation, RUNS, "qrels := 'judged'", "folds := 1", arguments), expected)


def test_map_and_odds_learnt_from_all_topics_are_as_in_ranx(loaded: Warehouse) -> None:
    runs = [ranx.Run(run) for run in rankings(-3).values()]
    qrels = ranx.Qrels(judgments())
    expected = theirs(rankings(-3), "mapfuse", None, {"map_scores": mapfuse_train(qrels, runs)})
    check(ours(loaded, "map_fuse", RUNS, "qrels := 'judged'", "folds := 1"), expected)
    expected = theirs(rankings(-3), "bayesfuse", None, {"log_odds": bayesfuse_train(qrels, runs)})
    check(ours(loaded, "bayes_fuse", RUNS, "qrels := 'judged'", "folds := 1"), expected)


def has_circle(beats: dict[str, set[str]]) -> bool:
    """Whether pairs won do not put all documents into one order."""
    return len({len(won) for won in beats.values()}) < len(beats)


@pytest.mark.parametrize(("method", "weights"), [("condorcet", None), ("w_condorcet", WEIGHTS)])
def test_condorcet_without_a_circle_is_as_in_ranx(method: str, weights: list[float] | None) -> None:
    """Runs that each retrieve all documents in nearly the same order, of which topics without a circle are kept."""
    chance = random.Random(5)
    given = weights or [1.0, 1.0, 1.0]
    runs: dict[str, Run] = {name: {} for name in NAMES}
    for number in range(60):
        documents = [f"d{at}" for at in range(chance.randint(3, 8))]
        places = {name: {each: at + chance.uniform(0, 3) for at, each in enumerate(documents)} for name in NAMES}
        beats = {
            one: {
                two
                for two in documents
                if sum(
                    weight * (1 if places[name][one] < places[name][two] else -1)
                    for name, weight in zip(NAMES, given, strict=True)
                )
                > 0
                and one != two
            }
            for one in documents
        }
        if not has_circle(beats):
            for name in NAMES:
                runs[name][f"q{number:02}"] = {each: -place for each, place in places[name].items()}
    assert len(runs["one"]) > 20
    with new_warehouse() as warehouse:
        for name, run in runs.items():
            warehouse.load_run(run, name)
        found = ours(warehouse, "condorcet_fuse", RUNS, GIVEN if weights else "")
    check(found, theirs(runs, method, None, {"weights": weights} if weights else {}))
