"""Every method and norm of fusion gives the scores of ranx, on runs without ties.

Not compared as it stands is Condorcet fusion with circles or even pairs, where ranx's order changes from one process to
the next. It is compared where majorities are clear and no circle is among them.
"""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
import ranx
from ranx.fusion import bayesfuse_train, mapfuse_train, posfuse_train, probfuse_train, segfuse_train, slidefuse_train

from evalsql import Warehouse
from tests.conftest import module_warehouse
from tests.long_cases import one_in, rows_of
from tests.random_collections import Qrels, Run

NAMES = ("one", "two", "three")
NORMS = {"min-max": "min-max", "max": "max", "sum": "sum", "z-score": "zmuv", "rank": "rank", "borda": "borda"}
RUNS = "runs := 'one,two,three'"
WEIGHTS, GIVEN = [0.5, 0.2, 1.5], "weights := '0.5,0.2,1.5'"
# What learns the parameters of a method, and which; the relations learn from all topics too.
LEARNED: dict[str, tuple[str, Callable[[ranx.Qrels, list[ranx.Run]], object]]] = {
    "posfuse": ("probs", posfuse_train),
    "slidefuse": ("probs", slidefuse_train),
    "probfuse": ("probs", lambda qrels, runs: probfuse_train(qrels, runs, 4)),
    "segfuse": ("probs", segfuse_train),
    "mapfuse": ("map_scores", mapfuse_train),
    "bayesfuse": ("log_odds", bayesfuse_train),
}
# Relation, its arguments, ranx's name, its norm, and its parameters; "each" stands for every norm.
TABLE = rows_of(Path(__file__).with_name("ranx.tsv"))
CASES = [case for case in TABLE if case[3] != "each"]
NORMED = [
    [relation, ", ".join(filter(None, (arguments, f"norm := '{norm}'"))), method, theirs, parameters]
    for relation, arguments, method, each, parameters in TABLE
    for norm, theirs in NORMS.items()
    if each == "each"
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


def load(warehouse: Warehouse) -> None:
    warehouse.load_qrels(judgments(), "judged")
    for name, run in rankings(-3).items():
        warehouse.load_run(run, name)


loaded = module_warehouse(load)


@pytest.mark.parametrize(("relation", "arguments", "method", "norm", "given"), [*CASES, *one_in(5, map(tuple, NORMED))])
def test_runs_are_fused_as_ranx_does(
    loaded: Warehouse, relation: str, arguments: str, method: str, norm: str, given: str
) -> None:
    runs, parameters = rankings(-3), json.loads(given)
    if method in LEARNED:
        name, learn = LEARNED[method]
        parameters[name] = learn(ranx.Qrels(judgments()), [ranx.Run(run) for run in runs.values()])
    check(ours(loaded, relation, RUNS, arguments), theirs(runs, method, norm or None, parameters))


def test_inverted_min_max_is_that_of_runs_whose_lower_scores_are_better(empty: Warehouse) -> None:
    runs = rankings(-3)
    for name, run in runs.items():
        empty.load_run(run, name, lower_is_better=True)
    check(ours(empty, "comb_sum", RUNS), theirs(runs, "sum", "min-max-inverted", {}))


def places_without_a_circle(chance: random.Random, weights: list[float]) -> dict[str, dict[str, float]]:
    """By run places of the same documents, nearly the same, of which majorities put all into one order."""
    documents = [f"d{at}" for at in range(chance.randint(3, 8))]
    while True:
        places = {name: {each: at + chance.uniform(0, 3) for at, each in enumerate(documents)} for name in NAMES}
        beaten = []
        for one in documents:
            lead = {
                two: sum(w if p[one] < p[two] else -w for w, p in zip(weights, places.values(), strict=True))
                for two in documents
                if two != one
            }
            beaten.append(sum(margin > 0 for margin in lead.values()))
        if len(set(beaten)) == len(documents):
            return places


@pytest.mark.parametrize(("method", "weights"), [("condorcet", None), ("w_condorcet", WEIGHTS)])
def test_condorcet_without_a_circle_is_as_in_ranx(empty: Warehouse, method: str, weights: list[float] | None) -> None:
    chance = random.Random(5)
    topics = {f"q{number:02}": places_without_a_circle(chance, weights or [1.0] * 3) for number in range(30)}
    runs = {
        name: {topic: {each: -place for each, place in places[name].items()} for topic, places in topics.items()}
        for name in NAMES
    }
    for name, run in runs.items():
        empty.load_run(run, name)
    found = ours(empty, "condorcet_fuse", RUNS, GIVEN if weights else "")
    check(found, theirs(runs, method, None, {"weights": weights} if weights else {}))
