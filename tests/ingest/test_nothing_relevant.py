"""Judgments in which nothing is relevant give 0 for nearly every measure, and a gate that compares two 0s passes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from evalsql import InputWarning, Warehouse
from tests.conftest import Command, write

SWAPPED = "T1 2 d1 0\nT1 1 d2 0\nT2 1 d1 -1\n"


def test_judgments_without_relevance_are_told(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", SWAPPED), write(tmp_path / "r.run", "T1 Q0 d1 1 2 x\n")
    found = command("eval", qrels, run, "-m", "AP", "--format", "csv")
    assert found.stdout.splitlines()[1] == "q,r,0.0"
    assert "judgments q: nothing is relevant, as the best of 3 grades is 0 and 1 is the least" in found.stderr


@pytest.mark.parametrize(
    ("data", "form", "is_told"),
    [
        ({"T1": {"d1": 0}, "T2": {"d1": 1}}, "grades", False),
        ({"T1": {"d1": -2, "d2": -1}}, "grades", True),
        ([{"topic": "T1", "group": "g", "document": "d", "level": 0}], "preferences", False),
    ],
)
def test_only_judgments_without_relevance_are(empty: Warehouse, data: Any, form: str, is_told: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        empty.load_qrels(data, "q", form=form)
    told = [str(each.message) for each in caught if issubclass(each.category, InputWarning)]
    assert ["nothing is relevant" in each for each in told] == [True] * is_told
