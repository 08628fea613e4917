"""What is evaluated on every engine: small random collections of grades, groups and preferences in one warehouse."""

from __future__ import annotations

import warnings

import pandas as pd

import evalsql
from evalsql import Warehouse
from tests.conftest import new_file
from tests.oracles.brute_force_diversity import diversity_collection
from tests.oracles.brute_force_preferences import preference_collection
from tests.random_collections import collection

GRADED_SEEDS = (1, 3, 6, 12, 20)
GROUPED_SEEDS = (2, 5, 7)
PREFERRED_SEEDS = (0, 4, 9)


def small_warehouse() -> Warehouse:
    """One judgment set and one run for each seed, open to be written to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warehouse = evalsql.open(new_file())
        for seed in GRADED_SEEDS:
            graded = collection(seed)
            warehouse.load_qrels(graded.qrels, f"graded {seed}")
            warehouse.load_run(graded.run, f"run of graded {seed}", qrels=[f"graded {seed}"])
        for seed in GROUPED_SEEDS:
            grouped = diversity_collection(seed, tied=True)
            frame = pd.DataFrame(grouped.rows(), columns=["topic", "iteration", "document", "grade"])
            warehouse.load_qrels(frame, f"grouped {seed}", form="groups")
            warehouse.load_run(grouped.run, f"run of grouped {seed}", qrels=[f"grouped {seed}"])
        for seed in PREFERRED_SEEDS:
            preferred = preference_collection(seed)
            frame = pd.DataFrame(preferred.rows(), columns=["topic", "group", "subgroup", "document", "level"])
            warehouse.load_qrels(frame, f"preferred {seed}", form="preferences")
            warehouse.load_run(preferred.run, f"run of preferred {seed}", qrels=[f"preferred {seed}"])
    return warehouse
