"""Rows that nobody sees go, or that come together unasked: each time a warning says so, or the data is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import evalsql
from evalsql import UsageError, Warehouse
from tests.conftest import Command, warned, write

QRELS = "1 0 d1 1\n1 0 d2 0\n2 0 d1 1\n"


# Rows that TREC files have behind a #


def test_rows_that_are_read_as_comments_are_told(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels(write(tmp_path / "q.txt", QRELS))
    cases: list[tuple[Callable[[Path], object], str, int, str]] = [
        (empty.load_runs, "1 Q0 d1 1 2 t\n#2 Q0 d1 1 2 t\n#2 Q0 d2 2 1 t\n", 2, ", and 1 more line like it"),
        (empty.load_runs, "#2\tQ0\td1\t1\t2\tt\n1\tQ0\td1\t1\t2\tt\n", 1, ""),
        (empty.load_qrels, "1 0 d1 1\n#2 0 d1 1\n#2 0 d2 0\n#3 0 d2 0\n", 2, ", and 2 more lines like it"),
        (lambda path: empty.load_qrels(path, form="preferences"), "1 1 d1 2\n#2 1 d1 1\n", 2, ""),
    ]
    for at, (load, text, line, more) in enumerate(cases):
        path = write(tmp_path / f"{at}.txt", text)
        (found,) = [each for each in warned(partial(load, path)) if "#" in each]
        reason = "starts with # and is left out as a comment, though it has the columns of a row"
        assert found.startswith(f"{path}:{line}: {reason}{more}; ")


def test_comments_are_not_told(empty: Warehouse, tmp_path: Path) -> None:
    comments = "# 1 Q0 d1 1 2 t\n#qid Q0 docno rank score tag\n#the run of system A\n# tag: BM25, k1 = 0.9\n"
    path = write(tmp_path / "some.run", f"{comments}1 Q0 d1 1 2 t\n{comments}")
    assert not [each for each in warned(lambda: empty.load_runs(path)) if "#" in each]


# Runs of several tags in one file


def test_runs_in_one_file_are_told(command: Command, tmp_path: Path) -> None:
    qrels = write(tmp_path / "q.txt", QRELS)
    rows = "1 Q0 d1 1 2 bm25\n1 Q0 d3 2 1 bm25\n1 Q0 d2 1 2 dense\n1 Q0 d4 2 1 dense\n"
    path = write(tmp_path / "both.run", rows)
    reason = f"{path}: rows with 2 tags (bm25, dense), which are loaded as one run; split the file if they are several"
    assert reason in command("eval", qrels, path).stderr
    assert reason in command("load", "runs", path).stderr
    assert "tags" not in command("eval", qrels, write(tmp_path / "one.run", rows.replace("dense", "bm25"))).stderr


# A set has no order


def test_a_set_is_no_ranking(empty: Warehouse) -> None:
    with pytest.raises(UsageError, match="topic 1: a set has no order, as a ranking without scores needs"):
        evalsql.evaluate({"1": {"d1": 1}}, {"1": {"d1", "d2"}}, "AP")
    with pytest.raises(UsageError, match="topic 1: a set has no order"):
        empty.load_run([{"qid": "1", "docs": frozenset({"d1", "d2"})}], "r")
    assert evalsql.evaluate({"1": {"d1": 1}}, {"1": {("d1", 2.0), ("d2", 1.0)}}, "AP") == {"AP": 1.0}
