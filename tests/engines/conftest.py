"""The warehouse that is evaluated on every engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evalsql import Warehouse
from tests.engines.collections import small_warehouse


@pytest.fixture(scope="session")
def small() -> Iterator[Warehouse]:
    with small_warehouse() as warehouse:
        yield warehouse
