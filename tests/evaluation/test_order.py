"""What is told does not hang on the order in which the engine's threads give rows that no ORDER BY orders."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evalsql import UsageError, Warehouse
from evalsql.database.database import Database
from evalsql.evaluation.listings import wide_query
from tests.conftest import Command
from tests.long_cases import few_of

_ORDERED = re.compile(r"\border by\b|^\s*(describe|call|pragma)\b", re.IGNORECASE)


@pytest.fixture
def backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries without any ORDER BY give their rows the other way round."""
    rows, table = Database.rows, Database.table

    def turned_rows(self: Database, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        found = rows(self, sql, parameters)
        return found if _ORDERED.search(sql) else found[::-1]

    def turned_table(self: Database, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        columns, found = table(self, sql)
        return columns, found if _ORDERED.search(sql) else found[::-1]

    monkeypatch.setattr(Database, "rows", turned_rows)
    monkeypatch.setattr(Database, "table", turned_table)


COMMANDS = (
    "report -m AP,RR --output report.json",
    "gate bm25 --baseline dense --rule 'AP drop <= 0'",
    "diff bm25 dense --documents",
    "report -m AP,RR --output report.html",
)


@pytest.mark.parametrize("words", few_of(COMMANDS, 3))
def test_a_command_says_the_same_whatever_the_order(
    demo: Command, tmp_path: Path, words: str, request: pytest.FixtureRequest
) -> None:
    def said() -> list[object]:
        answer = demo(*shlex.split(words))
        files = {path.name: path.read_text() for path in tmp_path.iterdir() if path.suffix != ".duckdb"}
        return [answer.returncode, answer.stdout, answer.stderr, files]

    expected = said()
    request.getfixturevalue("backwards")
    assert said() == expected


def test_pairs_that_hang_on_ties_are_in_order_where_means_are_equal(empty: Warehouse) -> None:
    """Of twins each was on top now and then."""
    empty.load_qrels({"t": {"a": 1}}, "set")
    for name in "fbdace":
        empty.load_run({"t": {"a": 1.0, "0": 1.0} if name in "bdf" else {"a": 1.0, "z": 1.0}}, name)
    _, swaps = empty.ties("RR")
    pairs = [(row[2], row[5]) for row in swaps.fetchall()]
    assert pairs == sorted(pairs) != []


def test_the_first_name_that_cannot_be_a_column_is_told(empty: Warehouse) -> None:
    names = ["topic", "qrels", "measure"]
    with pytest.raises(UsageError, match='a run is called "measure" as a column of the table is'):
        wide_query(empty.database, "", runs=names, measures=["AP"])
