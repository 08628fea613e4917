"""Short rankings in every order of their tied documents, and what measures know of these orders."""

import math
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from statistics import fmean
from typing import Any

import pytest
import pytrec_eval

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.measures.topic_values import values
from tests.oracles.brute_force import Topic, tied_orders
from tests.random_collections import Qrels, Run

EXACT = 1e-12
# Of what is better when it is less, the worst order gives the most.
FALLING = ("rbp_residual", "rbp_resid", "unjudged", "fpr")


@cache
def tied_collection() -> tuple[Qrels, Run]:
    """Short rankings in which few scores stand for many documents."""
    chance = random.Random(3)
    qrels: Qrels = {}
    run: Run = {}
    for number in range(120):
        documents = [f"d{at}" for at in range(chance.randint(2, 7))]
        unseen = {f"u{at}": chance.choice((0, 1, 2)) for at in range(chance.randint(0, 3))}
        judged = {document: chance.choice((-1, 0, 0, 1, 1, 2, 3)) for document in documents if chance.random() < 0.8}
        qrels[f"t{number}"] = {"u": 0, **unseen, **judged}
        run[f"t{number}"] = {document: float(chance.choice((1, 2, 2, 3))) for document in documents}
    return qrels, run


def load_tied(warehouse: Warehouse) -> None:
    qrels, run = tied_collection()
    warehouse.load_qrels(qrels, "tied")
    warehouse.load_run(run, "system")


def orders(scores: Mapping[str, float]) -> Iterator[dict[str, float]]:
    """The ranking in each order of its tied documents, as scores that tie no more."""
    ranked = sorted(scores, key=lambda document: -scores[document])
    for order in tied_orders(ranked, scores.__getitem__):
        yield {document: float(len(order) - place) for place, document in enumerate(order)}


@cache
def every_order() -> dict[str, list[Topic]]:
    """Each topic of that collection in every order."""
    qrels, run = tied_collection()
    return {topic: [Topic(qrels[topic], order, 3) for order in orders(scores)] for topic, scores in run.items()}


def in_every_order(value: Callable[[Topic], float]) -> dict[str, list[float]]:
    return {topic: [value(each) for each in tried] for topic, tried in every_order().items()}


def by_trec_eval(
    measures: Collection[str], tried: Mapping[str, list[Topic]], *, judged_only: bool = False
) -> dict[str, dict[str, list[float]]]:
    """By trec_eval's measure and topic its value in each order."""
    qrels: dict[str, dict[str, int]] = {}
    run: Run = {}
    for topic, each in ((topic, each) for topic, every in tried.items() for each in every):
        key = f"{topic}/{len(qrels)}"
        qrels[key] = {document: int(grade) for document, grade in each.judged.items()}
        run[key] = dict(each.scores)
    found: dict[str, dict[str, list[float]]] = {name: {topic: [] for topic in tried} for name in measures}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(measures), judged_docs_only_flag=judged_only)
    for key, results in evaluator.evaluate(run).items():
        for name, value in results.items():
            shown = math.exp(value) if name.startswith("gm_") else 0.0 if math.isnan(value) else value
            found[name][key.partition("/")[0]].append(shown)
    return found


def compare_orders(
    warehouse: Warehouse,
    name: str,
    tried: Mapping[Any, list[float]],
    *,
    unknown: Collection[Any] = (),
    unknown_mean: Collection[Any] = (),
    differing: int = 3,
    keys: str = "topic",
) -> set[Any]:
    """Hold every kind of value that a measure knows, by topic, against those of all orders.

    ``unknown`` are topics of which the worst and the best value may be null, ``unknown_mean`` those of which the
    expected one may be; returned are those of which one is. More than ``differing`` of the others must differ by order.
    """
    (measure,) = parse_measures([name], read_catalog())
    pick: dict[str, Callable[[list[float]], float]] = {"worst": min, "best": max, "expected": fmean}
    if measure.relation.name in FALLING:
        pick |= {"worst": max, "best": min}
    found: set[Any] = set()
    for ties, variant in tie_variants(measure).items():
        ours = values(warehouse, variant.name, keys)
        null = {key for key in tried if ours[key] is None}
        assert null <= set(unknown_mean if ties == "expected" else unknown), (name, ties)
        expected = {key: pick[ties](numbers) for key, numbers in tried.items() if key not in null}
        assert {key: ours[key] for key in expected} == pytest.approx(expected, abs=EXACT), (name, ties)
        found |= null
    known = [numbers for key, numbers in tried.items() if key not in found]
    assert sum(max(numbers) - min(numbers) > EXACT for numbers in known) > differing, name
    return found
