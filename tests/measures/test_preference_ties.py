"""PrefsGroupR over all orders of tied documents, which is known for some topics only, against every permutation."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from evalsql import Warehouse
from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.catalog.relations import read_catalog
from tests.conftest import write
from tests.measures.test_ties import EXACT, orders
from tests.measures.topic_values import values_by_topic
from tests.oracles.brute_force_preferences import (
    TIED,
    PreferenceCollection,
    agreed,
    contested_ties,
    cut_ties,
    paired_ties,
)

PICK: dict[str, Callable[[list[float]], float]] = {
    "worst": min,
    "best": max,
    "expected": lambda numbers: math.fsum(numbers) / len(numbers),
}


@pytest.mark.parametrize(
    ("collection", "in_subgroups"),
    [
        (cut_ties(1, 1, 1), False),
        (cut_ties(2, 3, 1), False),
        (contested_ties(2), False),
        (paired_ties(1), False),
        (cut_ties(3, 1, 2), True),
        (cut_ties(4, 2, 2), True),
    ],
    ids=["one-group", "groups", "contested-groups", "pairs", "subgroups", "groups-of-subgroups"],
)
def test_what_is_known_in_every_permutation(
    empty: Warehouse, tmp_path: Path, collection: PreferenceCollection, in_subgroups: bool
) -> None:
    text = "".join(" ".join(map(str, row)) + "\n" for row in collection.rows())
    empty.load_qrels(write(tmp_path / "q.txt", text), form="preferences")
    empty.load_run(collection.run, "system")
    at_odds = {topic for topic, judged in collection.preferences.items() if not agreed(judged, collection.run[topic])}
    for name, function in TIED["partly known"].items():
        found = {
            topic: [function(judged, order) for order in orders(collection.run[topic])]
            for topic, judged in collection.preferences.items()
        }
        (measure,) = parse_measures([name], read_catalog())
        for ties, pick in PICK.items():
            ours = values_by_topic(empty, tie_variants(measure)[ties].name)
            known = {topic: value for topic, value in ours.items() if value is not None}
            assert known == pytest.approx({topic: pick(found[topic]) for topic in known}, abs=EXACT), (name, ties)
            if not in_subgroups:
                assert ours.keys() - known.keys() <= (set() if ties == "expected" else at_odds), (name, ties)
            assert sum(max(found[topic]) - min(found[topic]) > EXACT for topic in known) > 7, (name, ties)
