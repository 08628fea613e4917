"""The random collections, on which measures are held against plain loops and peers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evalsql import Warehouse
from tests.conftest import MORE_SEEDS, RANDOM_SEEDS, random_warehouse
from tests.random_collections import Collection, collection


@pytest.fixture(
    scope="module", params=[RANDOM_SEEDS, pytest.param(MORE_SEEDS, marks=pytest.mark.long)], ids=["few", "more"]
)
def random_file(request: pytest.FixtureRequest) -> Iterator[Warehouse]:
    """All random collections in one warehouse, each a judgment set called by its seed with one run."""
    with random_warehouse(request.param) as warehouse:
        yield warehouse


@pytest.fixture(scope="module")
def collections(random_file: Warehouse) -> dict[str, Collection]:
    """The same by the name of the judgment set."""
    return {name: collection(int(name)) for (name,) in random_file.rows("select qrels from qrels order by qrels_id")}
