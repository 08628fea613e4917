"""TAP under each tie rule, with runs that several judgment sets share, against plain loops."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pandas as pd
import pytest

from evalsql import InputWarning, Warehouse
from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.catalog.relations import read_catalog
from tests.conftest import new_warehouse
from tests.oracles.brute_force_tap import System, tap
from tests.random_collections import Qrels

CATALOG = read_catalog()
EXACT = 1e-9
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
OPTIONS: tuple[dict[str, Any], ...] = (
    *({"k": k} for k in (1, 2, 5)),
    *({"k": k, "rel": 2, "reward_silence": True} for k in (1, 3)),
    {"k": 1, "quantile": 0.3, "weighted": False},
    {"k": 2, "quantile": 0.9, "rel": 3},
    {"k": 1, "quantile": 1.0, "insufficient": "uncut", "reward_silence": True},
    {"k": 3, "insufficient": "uncut", "weighted": False},
    {"threshold": 1.0},
    {"threshold": 1.0, "insufficient": "uncut", "rel": 2},
    {"threshold": 0.0, "reward_silence": True},
    {"threshold": -1e39, "weighted": False},
    {"threshold": 1e39},
    {"threshold": 2.5, "rel": 2, "reward_silence": True},
    *({"k": 2, "rel": rel, "ties": ties} for rel in (1, 2) for ties in ("worst", "best", "expected")),
    {"threshold": 1.0, "rel": 2, "ties": "expected"},
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


def load(warehouse: Warehouse) -> None:
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


def measure(options: Mapping[str, Any]) -> Measure:
    shown = ",".join(f"{name}={value!r}" for name, value in options.items())
    return parse_measures([f"TAP({shown})"], CATALOG)[0]


@pytest.fixture(scope="module")
def loaded() -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        load(warehouse)
        yield warehouse


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_each_option_under_each_tie_rule(loaded: Warehouse, options: dict[str, Any]) -> None:
    sets, weights = judged()
    ours = {
        (qrels, run, topic): row
        for qrels, run, topic, *row in loaded.rows(
            f"select qrels, run, topic, {', '.join(COLUMNS)} from {measure(options).call}"
        )
    }
    compared = 0
    for name, qrels in sets.items():
        for run, system in systems().items():
            for topic, row in tap(qrels, system, weights[name], **options).items():
                value, *others = ours[name, run, topic]
                assert value == pytest.approx(row.value, abs=EXACT), (name, run, topic)
                assert others == [row.threshold, row.num_kept, row.reached, row.weight], (name, run, topic)
                compared += 1
    assert compared == len(ours) > 200
    assert len({round(row[0], 6) for row in ours.values()}) > 10
