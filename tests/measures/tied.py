"""Short rankings in every order of their tied documents, and what measures know of these orders."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from itertools import groupby, permutations, product
from statistics import fmean

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.measures.topic_values import values_by_topic
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


def orders(scores: Mapping[str, float]) -> Iterator[dict[str, float]]:
    """The ranking in each order of its tied documents, as scores that tie no more."""
    ranked = sorted(scores, key=lambda document: -scores[document])
    groups = [list(group) for _, group in groupby(ranked, key=lambda document: scores[document])]
    for choice in product(*(permutations(group) for group in groups)):
        order = [document for group in choice for document in group]
        yield {document: float(len(order) - place) for place, document in enumerate(order)}


def compare_orders(
    warehouse: Warehouse,
    name: str,
    values: Mapping[str, list[float]],
    *,
    unknown: Collection[str] = (),
    unknown_mean: bool = False,
    differing: int = 3,
) -> set[str]:
    """Hold every kind of value that a measure knows, by topic, against those of all orders.

    ``unknown`` are topics of which the worst and the best value may be null, with ``unknown_mean`` the expected one
    too; returned are those of which one is. Of the others more than ``differing`` must hang on the order.
    """
    (measure,) = parse_measures([name], read_catalog())
    pick: dict[str, Callable[[list[float]], float]] = {"worst": min, "best": max, "expected": fmean}
    if measure.relation.name in FALLING:
        pick |= {"worst": max, "best": min}
    found: set[str] = set()
    for ties, variant in tie_variants(measure).items():
        ours = values_by_topic(warehouse, variant.name)
        null = {topic for topic, value in ours.items() if value is None}
        assert null <= (set(unknown) if unknown_mean or ties != "expected" else set()), (name, ties)
        expected = {topic: pick[ties](numbers) for topic, numbers in values.items() if topic not in null}
        assert {topic: ours[topic] for topic in expected} == pytest.approx(expected, abs=EXACT), (name, ties)
        found |= null
    known = [numbers for topic, numbers in values.items() if topic not in found]
    assert sum(max(numbers) - min(numbers) > EXACT for numbers in known) > differing, name
    return found
