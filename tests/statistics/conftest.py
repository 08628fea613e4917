"""A warehouse for scores of a test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evalsql import Warehouse
from tests.conftest import new_warehouse


@pytest.fixture(scope="module")
def warehouse() -> Iterator[Warehouse]:
    with new_warehouse() as opened:
        yield opened
