"""Relations of a file that are not those of evalsql are named and not run; what was written here is known again."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import InputWarning, QueryError, WarehouseError
from evalsql.catalog.relations import Catalog
from evalsql.warehouse import opening
from evalsql.warehouse.inspection import Inspection
from evalsql.warehouse.remembered import recalled, remember
from tests.conftest import Command, new_file, write
from tests.warehouse.test_own_measures import MEASURE, STEP

TRUE_AP = "select value from ap where run = 'bm25' and topic = 'T23'"
BY_HAND = (1 / 1 + 2 / 13 + 3 / 16 + 4 / 28) / 5  # sql/README.md
Crafted = Callable[..., Path]


@pytest.fixture
def crafted(tmp_path: Path, sample_file: Path) -> Crafted:
    """A copy of the sample's warehouse that statements were run on without this package."""

    def craft(*statements: str) -> Path:
        path = Path(shutil.copy(sample_file, tmp_path / "w.duckdb"))
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)
        return path

    return craft


def found(path: Path) -> Inspection:
    return opening.inspected(str(path), lambda: duckdb.connect(str(path), read_only=True))


@pytest.mark.parametrize(
    ("statements", "changed"),
    [
        ((), ()),
        (
            ("create or replace view ap as select * replace (0.99 as value) from ap()",),
            ("view ap",),
        ),
        (("drop view ndcg", "drop macro table ndcg"), ("macro ndcg", "view ndcg")),
        (
            # The defaults alone are others.
            ("create or replace macro normal_cdf(z double := 1.0) as z",),
            ("macro normal_cdf",),
        ),
        (
            ("create or replace view steps.evaluated_topics as select * from steps.evaluated_topics limit 1",),
            ("view steps.evaluated_topics",),
        ),
        (
            # A literal that looks like the statement that is missing.
            (
                "drop view rr",
                "create view fine as select ';\nCREATE VIEW rr AS SELECT * FROM rr();\n' as text",
            ),
            ("view rr",),
        ),
    ],
)
def test_what_differs_is_named(crafted: Crafted, statements: tuple[str, ...], changed: tuple[str, ...]) -> None:
    assert found(crafted(*statements)).changed == changed


def test_every_default_of_every_macro_counts(crafted: Crafted) -> None:
    with duckdb.connect() as connection:
        connection.execute("create macro p(k integer := 5) as table select k")
    path = crafted(
        "create or replace macro judged_share(k := 1) as k",
        "create or replace macro hedges_correction(n double := 3) as 1 - 3 / (4 * n - 1)",
    )
    inspection = found(path)
    assert inspection.changed == ("macro hedges_correction",)
    assert inspection.foreign == ("macro judged_share",)


@pytest.mark.usefixtures("few_measures")
def test_a_relation_that_lies_is_not_run(crafted: Crafted, command: Command) -> None:
    lie = "create or replace macro ap() as table select 'sample' as qrels, 'bm25' as run, 'T23' as topic, 0.99 as value"
    path = crafted("update warehouse set sql_digest = 'other'")
    evalsql.open(path).close()  # with the few measures
    with duckdb.connect(str(path)) as connection:
        connection.execute(lie)
    with (
        pytest.warns(InputWarning, match=r"views or macros in it are not those of evalsql: macro ap\. Somebody"),
        evalsql.open(path, read_only=True) as warehouse,
    ):
        assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
    outcome = command("sql", TRUE_AP, "--format", "csv", "--db", path)
    assert "macro ap" in outcome.stderr
    assert float(outcome.stdout.splitlines()[1]) == pytest.approx(BY_HAND)
    # To open it for writing mends it.
    with pytest.warns(InputWarning, match="evalsql's own are put in their place"):
        evalsql.open(path).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with evalsql.open(path, read_only=True) as warehouse:
            assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute(TRUE_AP).fetchall() == [(pytest.approx(BY_HAND),)]


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("create macro abs(x) as 42", "abs"),
        ("create macro sum(x) as 42", "sum"),
        ("create view steps.evaluations as select 1 as one", "steps.evaluations"),
        ("create table steps.topics as select 1 as one", "steps.topics"),
    ],
)
@pytest.mark.parametrize("other", [False, True])
def test_what_would_be_taken_for_something_else_is_refused(
    crafted: Crafted, statement: str, name: str, read_only: bool, other: bool
) -> None:
    path = crafted(statement, *(["update warehouse set sql_digest = 'other'"] if other else []))
    with pytest.raises(WarehouseError, match=rf"w.duckdb: {name} would be taken for"):
        evalsql.open(path, read_only=read_only)


# What the library lets a stranger's file do


def test_a_file_with_relations_of_others_reaches_nothing_unless_it_is_trusted(crafted: Crafted, tmp_path: Path) -> None:
    secret = write(tmp_path / "secret.txt", "secret")
    path = crafted(f"create view board as select content from read_text('{secret}')")
    for _ in range(2):  # inspected, and remembered
        with pytest.warns(InputWarning, match=r"beside those of evalsql: view board\. .*external_access=True"):
            warehouse = evalsql.open(path, read_only=True)
        with warehouse:
            with pytest.raises(QueryError, match="disabled by configuration"):
                warehouse.rows("from board")
            assert warehouse.rows(TRUE_AP) == [(pytest.approx(BY_HAND),)]
    with evalsql.open(path, read_only=True, external_access=True) as warehouse:
        assert warehouse.rows("from board") == [("secret",)]


def test_without_relations_of_others_sql_reaches_files_unless_it_is_told_not_to(
    crafted: Crafted, tmp_path: Path
) -> None:
    table, path = write(tmp_path / "x.csv", "a\n1\n"), crafted()
    with evalsql.open(path, read_only=True) as warehouse:
        assert warehouse.rows(f"from '{table}'") == [(1,)]
    with evalsql.open(path, external_access=False) as warehouse, pytest.raises(QueryError):
        warehouse.rows(f"from '{table}'")


# What is known again


def test_what_was_written_here_is_not_inspected_again(
    crafted: Crafted, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inspected: list[int] = []
    inspect = opening._inspected

    def counting(*given: Any) -> Any:
        inspected.append(1)
        return inspect(*given)

    monkeypatch.setattr(opening, "_inspected", counting)
    path = crafted()
    for expected in (1, 1, 1):
        with evalsql.open(path) as warehouse:
            warehouse.load_run({"T01": {"d": 1.0}}, f"run {len(inspected)} {os.urandom(4).hex()}")
            warehouse.execute("create or replace view board as from summary")  # one's own is one's own
        assert len(inspected) == expected
    evalsql.open(path, read_only=True).close()
    assert len(inspected) == 1
    with duckdb.connect(str(path)) as connection:
        connection.execute("create or replace table more as select 1 as one")
    evalsql.open(path, read_only=True, external_access=False).close()
    assert len(inspected) == 2
    copied = shutil.copy(path, tmp_path / "copy.duckdb")
    evalsql.open(copied, read_only=True, external_access=False).close()
    assert len(inspected) == 3


def test_a_file_is_known_until_it_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "file", "abc")
    assert recalled(str(path)) is None
    remember(str(path), ["view x", "macro\ny"], "digest")
    assert recalled(str(path)) == ("digest", ("view x", "macro\ny"))
    before = path.stat()
    path.write_text("abd")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert recalled(str(path)) is None
    remember(str(path), (), "")
    assert recalled(str(path)) == ("", ())
    write(tmp_path / "file.wal", "")
    assert recalled(str(path)) is None
    assert recalled(str(tmp_path / "none")) is None


def test_a_file_is_remembered_while_others_take_their_notes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    notes = tmp_path / "evalsql" / "remembered"
    notes.mkdir(parents=True)
    (notes / "of another process").symlink_to(tmp_path / "gone")  # listed, and not there
    path = write(tmp_path / "file", "abc")
    remember(str(path), (), "digest")
    assert recalled(str(path)) == ("digest", ())


def test_a_file_with_measures_of_ones_own_holds_what_it_should(
    crafted: Crafted, tmp_path: Path, few_measures: Catalog
) -> None:
    path = crafted("update warehouse set sql_digest = 'other'")
    own = [write(tmp_path / "fullness.sql", MEASURE), write(tmp_path / "half_full_rankings.sql", STEP)]
    with evalsql.open(path) as warehouse:
        warehouse.load_measures(own)
    copied = Path(shutil.copy(path, tmp_path / "copy.duckdb"))
    assert found(copied) == Inspection(sql_digest=few_measures.digest)
    with duckdb.connect(str(copied)) as connection:
        connection.execute("create or replace view fullness as from rr()")
    assert found(copied).changed == ("view fullness",)


def test_a_file_that_this_process_has_open_is_opened_again_without_a_word(tmp_path: Path) -> None:
    """As where a cell of a notebook runs twice; the log beside the file holds what was loaded."""
    path = new_file(tmp_path)
    with evalsql.open(path) as first, warnings.catch_warnings():
        warnings.simplefilter("error")
        first.load_qrels({"q": {"d": 1}}, "tiny")
        first.load_run({"q": {"d": 1.0}}, "a")
        with evalsql.open(path) as second:
            assert second.evaluate("AP").fetchall() == first.evaluate("AP").fetchall() == [("tiny", "a", 1.0)]
        with pytest.raises(WarehouseError, match="this process has it open already in another way"):
            evalsql.open(path, read_only=True)


def test_a_file_that_is_open_twice_is_still_known_to_define_relations_of_others(crafted: Crafted) -> None:
    path = crafted("create view mine as select 1 as one")
    with pytest.warns(InputWarning, match="view mine"):
        first = evalsql.open(path)
    first.load_run({"T01": {"doc-0133": 1.0}}, "a")
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
    first.close()
    with pytest.warns(InputWarning, match="view mine"):
        evalsql.open(path).close()
