"""What is evaluated on every engine: small random collections of judgments of all forms in one warehouse."""

import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import evalsql
from evalsql import Warehouse
from tests.conftest import new_file
from tests.golden_cases import CASES, load_judgments, load_run
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
        for case in (case for case in CASES if case.name in ("calls", "spans", "nuggets", "costs")):
            load_judgments(warehouse, case, case.name)
            for path in (each for folder in ("runs", "calls") for each in sorted(case.glob(f"{folder}/*"))):
                name = f"run of {case.name} {path.stem}"
                load_run(warehouse, case, path, name, **({"call": "call"} if path.parent.name == "calls" else {}))
                for costs in case.glob(f"costs/{path.stem}.*"):
                    warehouse.load_costs(costs, run=name, costs=["latency_ms"])
    return warehouse


@pytest.fixture(scope="session")
def small() -> Iterator[Warehouse]:
    with small_warehouse() as warehouse:
        yield warehouse
