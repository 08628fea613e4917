"""Figures that are true and that a person would take for others: each is told, or does not come about."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import numpy
import pytest

import evalsql
from evalsql import InputWarning, Warehouse
from tests.conftest import Command, write
from tests.random_collections import collection

E_VALUES = "t1 Q0 good 1 1e-180 blast\nt1 Q0 poor 2 1e-100 blast\n"
E_QRELS = "t1 0 good 1\nt1 0 poor 0\n"


def _warnings(act) -> list[str]:  # type: ignore[no-untyped-def]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        act()
    return [str(each.message) for each in caught if issubclass(each.category, InputWarning)]


# Scores that differ and are equal in 32 bits


def test_e_values_are_compared_in_64_bits(command: Command, empty: Warehouse, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", E_QRELS), write(tmp_path / "blast.run", E_VALUES)
    found = command("eval", qrels, run, "-m", "AP", "--lower-is-better", "--format", "csv")
    assert found.stdout.splitlines()[1] == "q,blast,1.0"
    assert "32-bit" not in found.stderr
    empty.load_qrels(qrels)
    empty.load_runs(run, lower_is_better=True)
    empty.load_run({"t1": {"good": 1e-180, "poor": 1e-100}}, "memory", lower_is_better=True)
    assert empty.evaluate("AP").fetchall() == [("q", "blast", 1.0), ("q", "memory", 1.0)]
    assert empty.rows("select distinct tie_rule from runs") == [("trec_eval_10",)]
    scores = {"t1": {"good": 1e-180, "poor": 1e-100}}
    assert evalsql.evaluate({"t1": {"good": 1}}, scores, "AP", lower_is_better=True) == {"AP": 1.0}


def test_scores_that_rounding_ties_are_counted(command: Command, tmp_path: Path) -> None:
    qrels, run = write(tmp_path / "q.txt", E_QRELS), write(tmp_path / "blast.run", E_VALUES)
    rule = ("--tie-rule", "trec_eval", "--lower-is-better")
    for arguments in (("eval", qrels, run, "-m", "AP", *rule), ("load", "runs", run, *rule)):
        found = command(*arguments)
        assert found.returncode == 0
        assert "2 documents in 1 run: scores that differ are equal as 32-bit floats" in found.stderr
        assert "--tie-rule trec_eval_10" in found.stderr


@pytest.mark.parametrize("options", [{}, {"depth": 30}], ids=["whole", "cut"])
def test_the_count_is_that_of_a_loop(empty: Warehouse, options: dict[str, int]) -> None:
    draw = numpy.random.default_rng(7)
    expected = 0
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for name in ("some", "more", "whole numbers"):
        runs[name] = {
            f"t{topic}": {
                f"d{at}": float(draw.integers(3)) + (0 if name == "whole numbers" else draw.integers(3) * 2.0**-40)
                for at in range(20)
            }
            for topic in range(4)
        }
        for scores in runs[name].values():
            groups: dict[float, Counter[float]] = {}
            for score in scores.values():
                groups.setdefault(float(numpy.float32(score)), Counter())[score] += 1
            expected += sum(group.total() for group in groups.values() if len(group) > 1)
    told = [_warnings(lambda name=name: empty.load_run(runs[name], name, **options)) for name in runs]
    assert [len(each) for each in told] == [1, 1, 0]
    assert sum(int(text.split()[0]) for (text,) in told[:2]) == expected


def test_scores_that_tie_in_truth_are_not_told(empty: Warehouse) -> None:
    told = _warnings(lambda: empty.load_run({"t": {"a": 1.5, "b": 1.5, "c": 0.1, "d": 0.1}}, "ties"))
    assert not [text for text in told if "32-bit" in text]
    case = collection(3)
    told = _warnings(lambda: empty.load_run(case.run, "64 bits", tie_rule="trec_eval_10"))
    assert not [text for text in told if "32-bit" in text]
