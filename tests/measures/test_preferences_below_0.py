"""Preferences with levels below 0 in several subgroups, in two judgment sets of the same topics, by plain loops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from tests.conftest import new_warehouse, write
from tests.measures.test_preferences import PREFERENCE_MEASURES
from tests.oracles.brute_force_preferences import Topic, preferences_below_0

SETS = {"one": preferences_below_0(1), "other": preferences_below_0(2)}


def load(warehouse: Warehouse, folder: Path) -> None:
    for name, collection in SETS.items():
        text = "".join(" ".join(map(str, row)) + "\n" for row in collection.rows())
        warehouse.load_qrels(write(folder / f"{name}.txt", text), name, form="preferences")
    for name, collection in SETS.items():
        warehouse.load_run(collection.run, f"run of {name}", qrels=["*"])


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with new_warehouse() as warehouse:
        load(warehouse, tmp_path_factory.mktemp("preferences"))
        yield warehouse


@pytest.mark.parametrize("name", PREFERENCE_MEASURES)
def test_levels_below_0_equal_plain_loops(loaded: Warehouse, name: str) -> None:
    call = parse_measures([name], read_catalog())[0].call
    ours = {tuple(key): value for *key, value in loaded.rows(f"select qrels, run, topic, value from {call}")}
    expected = {
        (qrels, f"run of {run}", topic): PREFERENCE_MEASURES[name](Topic(judged, retrieved.run[topic]))
        for qrels, collection in SETS.items()
        for run, retrieved in SETS.items()
        for topic, judged in collection.preferences.items()
    }
    assert ours == pytest.approx(expected, abs=1e-12)
    assert len(set(expected.values())) > 10
