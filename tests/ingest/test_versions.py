"""Judgments that newer ones take the place of: reachable under another name, left out where none is named."""

from pathlib import Path

import pytest

import evalsql
from evalsql import UsageError, Warehouse
from tests.conftest import Command, new_file, write
from tests.long_cases import few_of

OLD = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
NEW = {"1": {"a": 0, "b": 1}, "2": {"c": 1}, "3": {"d": 2}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}, "3": {"x": 2.0, "d": 1.0}}


@pytest.fixture
def replaced(empty: Warehouse) -> Warehouse:
    """A run evaluated by both versions, and one loaded after the newer one."""
    empty.load_qrels(OLD, "set")
    empty.load_weights({"1": 3.0}, "set")
    empty.load_run(RUN, "before")
    empty.load_qrels(NEW, "set", replace=True)
    empty.load_run(RUN, "after")
    return empty


def values(warehouse: Warehouse, **options: object) -> list[tuple[object, ...]]:
    found = warehouse.evaluate("RR", **options)  # type: ignore[arg-type]
    return sorted((qrels, run, round(value, 4)) for qrels, run, value in found.fetchall())


@pytest.mark.long
def test_old_judgments_are_reached_by_name(replaced: Warehouse) -> None:
    # By the newer ones the ranks of the first relevant documents are 2, 1 and 2.
    newer = round((1 / 2 + 1 + 1 / 2) / 3, 4)
    assert values(replaced) == [("set", "after", newer), ("set", "before", newer)]
    for name in ("set", "*"):
        assert values(replaced, qrels=name) == values(replaced)
    for name in ("set@1", "*@*"):
        assert values(replaced, qrels=name) == [("set@1", "before", 1.0)]
    held = replaced.rows("select qrels, replaced_at is null from qrels order by qrels")
    assert held == [("set", True), ("set@1", False)]
    assert replaced.rows("select qrels, weight from topic_weights join qrels using (qrels_id)") == [("set@1", 3.0)]
    summary = replaced.rows("select distinct qrels, run from summary order by all")
    assert summary == [("set", "after"), ("set", "before"), ("set@1", "before")]


@pytest.mark.long
def test_what_names_no_judgments_is_by_those_in_use(replaced: Warehouse) -> None:
    assert {row[0] for row in replaced.coverage().fetchall()} == {"set"}
    assert {row[0] for row in replaced.compare("before", measures="RR").fetchall()} == {"set"}
    assert {row[0] for row in replaced.curve("pr").fetchall()} == {"set"}
    assert {row[0] for relation in replaced.ties("RR") for row in relation.fetchall()} == {"set"}
    assert replaced.explain("before", "1", measure="RR").qrels == "set"
    assert replaced.explain("before", "1", measure="RR", qrels="set@1").qrels == "set@1"


@pytest.mark.long
def test_a_third_version_gets_the_next_number(replaced: Warehouse) -> None:
    replaced.load_qrels(OLD, "set", replace=True)
    assert [name for (name,) in replaced.rows("select qrels from qrels order by qrels")] == ["set", "set@1", "set@2"]
    assert values(replaced) == [("set", "after", 1.0), ("set", "before", 1.0)]
    replaced.drop_qrels("set@1")
    assert [name for (name,) in replaced.rows("select qrels from qrels order by qrels")] == ["set", "set@2"]
    # A run that is loaded anew is evaluated by the judgments in use only.
    replaced.load_run(RUN, "before", replace=True)
    assert values(replaced, qrels="set@2") == [("set@2", "after", round(2 / 3, 4))]
    assert replaced.drop_qrels("*") == ["set", "set@2"]


@pytest.mark.parametrize("form", few_of(["grades", "groups", "preferences", "strata", "probabilities"], 2))
def test_the_same_judgments_again_leave_no_version(empty: Warehouse, tmp_path: Path, form: str) -> None:
    rows = {"preferences": "t1 g {} d1 {}\n", "strata": "t1 0 d1 {} {}\n", "probabilities": "t1 d1 1 {} .{}\n"}
    row = rows.get(form, "t1 {} d1 {}\n")
    path = write(tmp_path / "q.txt", row.format("1", 1))
    empty.load_qrels(path, "set", form=form)
    empty.load_weights({"t1": 3}, "set")
    empty.load_qrels(path, "set", form=form, replace=True)
    assert empty.rows("select qrels from qrels") == [("set",)]
    assert empty.rows("select (select count(*) from topic_weights), list(kind) from files") == [(0, ["qrels"])]
    write(path, row.format("1", 2))
    empty.load_qrels(path, "set", form=form, replace=True)
    assert empty.rows("select qrels from qrels order by all") == [("set",), ("set@1",)]


def test_judgments_that_fail_replace_nothing(replaced: Warehouse, tmp_path: Path) -> None:
    before = replaced.rows("from qrels order by all")
    with pytest.raises(evalsql.InputError):
        replaced.load_qrels(write(tmp_path / "bad.txt", "1 0 a\n"), "set", replace=True)
    with pytest.raises(UsageError, match="already loaded; --replace"):
        replaced.load_qrels(OLD, "set")
    assert replaced.rows("from qrels order by all") == before


@pytest.mark.long
def test_the_command_says_where_they_are(command: Command, tmp_path: Path) -> None:
    path = new_file(tmp_path)
    write(tmp_path / "set.txt", "1 0 a 1\n")
    assert command("load", "qrels", "set.txt", "--db", path).returncode == 0
    write(tmp_path / "set.txt", "1 0 a 2\n")
    again = command("load", "qrels", "set.txt", "--replace", "--db", path)
    assert "the judgments before stay as set@1; --qrels set@1 evaluates with them" in again.stderr
    assert "where qrels = 'set' takes the new ones alone" in again.stderr
    shown = command("ls", "--db", path, "--format", "csv").stdout
    assert "set@1" not in shown
    assert "set@1" in command("ls", "--long", "--db", path, "--format", "csv").stdout
    same = command("load", "qrels", "set.txt", "--name", "other", "--db", path)
    assert "set.txt: is loaded as other, and the same file was loaded as set before" in same.stderr
    dropped = command("drop", "qrels", "set*", "--db", path, "--format", "csv")
    assert dropped.stdout == "kind,name\nqrels,set\nqrels,set@1\n"
