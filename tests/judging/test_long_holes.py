"""Bounds where rankings are so long that parts of them are looked at by themselves."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from evalsql import Warehouse
from evalsql.evaluation.holes import Holes
from tests.conftest import new_warehouse
from tests.judging.test_holes import Case, ap, load_cases
from tests.long_cases import few_of
from tests.oracles.brute_force import Topic
from tests.oracles.by_name import value_of

_VALUES: Mapping[str, tuple[Callable[[Topic], float], int | None]] = {
    "AP": (ap, None),
    "AP@50": (lambda topic: ap(topic, 50), 50),
    "YAAP": (value_of("YAAP"), None),
    "PRES@100": (value_of("PRES@100"), 100),
    "nDCG": (value_of("nDCG"), None),
    "nDCG@50": (value_of("nDCG@50"), 50),
    "nCG@50": (value_of("nCG@50"), 50),
    "ERR(max_rel=1)": (value_of("ERR(max_rel=1)@1000"), None),
    "ERR(max_rel=1,judged_only=true)": (value_of("ERR(max_rel=1)@1000"), None),
    "NERR8@100": (value_of("NERR8@100"), 100),
    "NERR10(max_rel=2)": (value_of("NERR10(max_rel=2)"), None),
}


def _case(chance: random.Random) -> Case:
    """A ranking that is judged more here than there."""
    order = [f"d{at}" for at in range(chance.randint(60, 150))]
    relevance, share, judged = chance.random() ** 2, chance.random(), dict[str, int]()
    for document in order:
        share = chance.random() if chance.random() < 0.1 else share
        if chance.random() < share:
            judged[document] = int(chance.random() < relevance)
    return Case({**judged, "missed": 1}, order, 1)


@pytest.mark.parametrize("unseen", few_of([3, 0], 1))
def test_long_rankings_have_the_best_number_of_holes_at_either_end(tmp_path: Path, unseen: int) -> None:
    """That no other holes do better is what short rankings show."""
    chance = random.Random(7)
    cases = {f"t{at}": _case(chance) for at in range(40)}
    with new_warehouse() as warehouse:
        load_cases(warehouse, tmp_path, {"to1": cases})
        for name, (value, cutoff) in _VALUES.items():
            holes = Holes(warehouse.evaluation, warehouse.evaluation.named(name), unseen=unseen)
            bounds = {
                topic: found
                for topic, *found in warehouse.rows(f"""
                    select topic, max(value) filter (ties = 'least'), max(value) filter (ties = 'greatest')
                    from ({holes.values}) where topic <> 'grades' group by topic
                """)
            }
            assert bounds.keys() == cases.keys()
            for topic, case in cases.items():
                scores = {document: -float(at) for at, document in enumerate(case.order)}
                free = [document for document in case.order[:cutoff] if document not in case.judged]
                new = {f"unseen{at}": 1 for at in range(unseen)}
                ends = range(len(free) + 1)
                lowest = [value(Topic({**case.judged, **new, **dict.fromkeys(free[at:], 1)}, scores, 1)) for at in ends]
                highest = [value(Topic({**case.judged, **dict.fromkeys(free[:at], 1)}, scores, 1)) for at in ends]
                assert bounds[topic] == pytest.approx([min(lowest), max(highest)], rel=1e-12, abs=1e-12), (name, topic)


def test_filled_rankings_may_end_at_a_hole(sample: Warehouse) -> None:
    rows = sample.rows("from filled_ranks(k := 15)")
    expected, holes = [], dict[int, int]()
    for row in sorted(rows, key=lambda row: row[:2]):
        if holes.get(row[0], 0) < 3:
            expected.append(row)
        holes[row[0]] = holes.get(row[0], 0) + (row[-1] is None)
    assert len(rows) > len(expected)
    assert sorted(sample.rows("from filled_ranks(k := 15, holes := 3)"), key=lambda row: row[:2]) == expected
