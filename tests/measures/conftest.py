"""The random collections, on which measures are held against plain loops and peers."""

from collections.abc import Iterator
from functools import cache, partial

import pytest

from evalsql import Warehouse
from tests.conftest import loaded_once, open_held
from tests.oracles.brute_force import Topic
from tests.random_collections import Collection, collection, load_together, together

SEEDS = {"few": range(80), "more": range(80, 200)}
Topics = dict[tuple[str, str], Topic]


@cache
def judgment_sets(size: str) -> dict[str, Collection]:
    """By name five random collections each, those with the same greatest grades together."""
    seeds = sorted(SEEDS[size], key=lambda seed: greatest_grade(collection(seed)))
    return {f"{at:03}": together(seeds[at : at + 5]) for at in range(0, len(seeds), 5)}


def greatest_grade(one: Collection) -> int:
    return max(max(grades.values()) for grades in one.qrels.values())


def load_sets(warehouse: Warehouse, size: str) -> None:
    """The judgment sets, each with a run that has its name."""
    sets = judgment_sets(size)
    load_together(warehouse, {name: one.run for name, one in sets.items()})
    for name, one in sets.items():
        warehouse.load_qrels(one.qrels, name, runs=[name])


@pytest.fixture(scope="module", params=["few", pytest.param("more", marks=pytest.mark.long)])
def size(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def random_file(size: str) -> Iterator[Warehouse]:
    """The judgment sets, for reading only."""
    with open_held(loaded_once(f"random-{size}.duckdb", partial(load_sets, size=size))) as warehouse:
        yield warehouse


@pytest.fixture(scope="module")
def topics(size: str) -> Topics:
    """By judgment set and topic."""
    return {
        (name, topic): Topic(grades, one.run.get(topic, {}), greatest_grade(one))
        for name, one in judgment_sets(size).items()
        for topic, grades in one.qrels.items()
    }
