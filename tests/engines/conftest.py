"""What is evaluated on every engine: small random collections of judgments of all forms in one warehouse."""

import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import evalsql
from evalsql import Warehouse
from tests.conftest import new_file
from tests.measures.test_samples import load_samples
from tests.oracles.brute_force_diversity import diversity_collection
from tests.oracles.brute_force_preferences import preference_collection
from tests.random_collections import collection, load_together

COLUMNS = {
    "groups": ["topic", "iteration", "document", "grade"],
    "preferences": ["topic", "group", "subgroup", "document", "level"],
}


def small_warehouse() -> Warehouse:
    """A judgment set and a run for each seed, open to be written to."""
    made: list[tuple[str, int, Any]] = [("grades", seed, collection(seed)) for seed in (1, 3, 6, 12, 20)]
    made += [("groups", seed, diversity_collection(seed, tied=True)) for seed in (2, 5, 7)]
    made += [("preferences", seed, preference_collection(seed)) for seed in (0, 4, 9)]
    with warnings.catch_warnings(action="ignore"):
        warehouse = evalsql.open(new_file())
        load_together(warehouse, {f"run of {form} {seed}": each.run for form, seed, each in made})
        for form, seed, each in made:
            judgments = each.qrels if form == "grades" else pd.DataFrame(each.rows(), columns=COLUMNS[form])
            warehouse.load_qrels(judgments, f"{form} {seed}", form=form, runs=[f"run of {form} {seed}"])
        load_samples(warehouse)
    return warehouse


@pytest.fixture(scope="session")
def small() -> Iterator[Warehouse]:
    with small_warehouse() as warehouse:
        yield warehouse
