"""Warnings name the line of whoever called the package, whichever part of it gives them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evalsql
from evalsql import InputWarning, Warehouse
from tests.conftest import write

GRADES = {"t1": {"d1": 1, "d2": 0}}
FOREIGN = {"t1": {"x1": 2.0, "x2": 1.0}}  # documents that nobody judged
Act = Callable[[Warehouse, Path], Any]


def _load_files(warehouse: Warehouse, folder: Path) -> None:
    warehouse.load_runs(write(folder / "run.run", "t1 Q0 x1 1 2 tag\nt1 Q0 x2 2 1 tag\n"))


def _load_folder(warehouse: Warehouse, folder: Path) -> None:
    (folder / "runs").mkdir()
    write(folder / "runs" / "README.md", "no run")
    write(folder / "runs" / "a.run", "t1 Q0 d1 1 2 tag\n")
    warehouse.load_runs(folder / "runs")


def _load_qrels(warehouse: Warehouse, folder: Path) -> None:
    warehouse.load_qrels(write(folder / "more.txt", "\ufefft1 0 d1 0\n\ufefft1 0 d2 0\n"))


def _load_topics(warehouse: Warehouse, _: Path) -> None:
    warehouse.load_topics({"t1": "what", "t2": "who"})


def _evaluate(_: Warehouse, __: Path) -> None:
    evalsql.evaluate(GRADES, FOREIGN, "AP")


@pytest.mark.parametrize(
    "act",
    [
        lambda warehouse, _: warehouse.load_run(FOREIGN, "run"),
        _load_files,
        _load_folder,
        _load_qrels,
        _load_topics,
        _evaluate,
    ],
)
def test_a_warning_names_the_line_that_called(empty: Warehouse, tmp_path: Path, act: Act) -> None:
    empty.load_qrels(GRADES, "judged")
    with pytest.warns(InputWarning) as found:
        act(empty, tmp_path)
    assert {each.filename for each in found} == {__file__}


def test_a_warning_at_opening_names_the_line_that_called(tmp_path: Path) -> None:
    path = tmp_path / "own.duckdb"
    with evalsql.open(path) as warehouse:
        body = "-- title: a step\n-- columns:\n--   one   a number\nselect 1 as one\n"
        warehouse.execute("insert into added_relations values (1, 'ap', ?, now()::timestamp)", [body])
    with pytest.warns(InputWarning, match="left out") as found, evalsql.open(path):
        pass
    assert {each.filename for each in found} == {__file__}
