"""Preferences that cannot be used are refused, with the place of each fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalsql import InputError, Warehouse
from tests.conftest import write

REFUSED = {
    "t g s a\n": 'q.txt:1: level "a" is not a number',
    "t g a\n": "q.txt:1: 3 columns, expected 5 or 4: topic group [subgroup] document level",
    "t g s a 1 x\n": "q.txt:1: 6 columns, expected 5 or 4",
    "t g s a 1\nt g b 1\n": "q.txt:2: 4 columns, while rows above have 5",
    "t g s a nan\n": 'q.txt:1: level "nan" is not a number',
    "t g s a 1e999\n": 'q.txt:1: level "1e999" is too large',
    "t g s a 1\nt g r a 1\nt g s a 2\n": (
        "q.txt:3: document a of topic t in group g stands in subgroup s already, at line 1"
    ),
    "t g s a 0\nt h s a 2\nt g r a 2\n": "q.txt:3: document a of topic t in group g has level 2 here and 0 at line 1",
    "t g s a 2\nt g s b 1\nt g r b 2\nt g r a 1\n": (
        "q.txt: group g of topic t contradicts itself, preferring a to b, b to a"
    ),
    "": "q.txt: holds no rows",
}


def test_unusable_preferences_are_refused_with_their_place(empty: Warehouse, tmp_path: Path) -> None:
    for text, reason in REFUSED.items():
        with pytest.raises(InputError) as refusal:
            empty.load_qrels(write(tmp_path / "q.txt", text), form="preferences")
        assert str(refusal.value).startswith(f"{tmp_path}/{reason}")
        assert refusal.value.count == 1
    assert empty.rows("select count(*) from qrels") == [(0,)]
    assert empty.rows("select count(*) from preferences") == [(0,)]


def test_a_circle_by_way_of_others_is_refused_and_every_problem_is_told(empty: Warehouse, tmp_path: Path) -> None:
    text = "t g 1 a 9\nt g 1 b 5\nt g 1 x 5\nt g 2 b 2\nt g 2 c 1\nt g 3 c 3\nt g 3 x 2\nt g 3 d 0.5\nt g 4 d 2\n"
    text += "t g 4 a 1\nt h 1 a 1\nt h 1 b two\nt h 1 a 2\n"
    with pytest.raises(InputError) as refusal:
        empty.load_qrels(write(tmp_path / "q.txt", text), form="preferences")
    faults = [str(problem).removeprefix(f"{tmp_path}/") for problem in refusal.value.problems]
    assert faults[0] == 'q.txt:12: level "two" is not a number'
    assert faults[1] == "q.txt:13: document a of topic t in group h stands in subgroup 1 already, at line 11"
    assert faults[2] in [
        f"q.txt: group g of topic t contradicts itself, preferring {circle}"
        for circle in ("a to b, b to c, c to x, x to d, d to a", "a to x, x to d, d to a")
    ]
