"""What lies beside a stranger's file: the log, which the engine reads while it connects, and where it spills to."""

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import WarehouseError
from evalsql.literals import literal
from tests.conftest import write
from tests.long_cases import few_of
from tests.warehouse.conftest import Crafted


def leave_log(path: Path, *statements: str) -> None:
    """Run statements in a process that ends before they go from the log into the file."""
    program = (
        "import duckdb, os, sys\nconnection = duckdb.connect(sys.argv[1])\n"
        "for statement in sys.argv[2:]: connection.execute(statement)\nos._exit(0)"
    )
    subprocess.run([sys.executable, "-c", program, str(path), *statements], check=True)
    assert Path(f"{path}.wal").stat().st_size


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("name", few_of(["link.duckdb", "~/w.duckdb", "w?.duckdb", "w.duckdb"], 3))
@pytest.mark.parametrize("asked", ["other.csv", "[Can't open with a different configuration]ther.csv"])
def test_a_log_reads_no_other_file(
    crafted: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, asked: str
) -> None:
    """To alter a table the engine binds its computed columns, and so a macro that has the name of their function.

    A pattern may have the words of an error of the engine, and stand for the same file.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path / "other.csv", "a\n1\n")
    path, other = crafted(), literal(str(tmp_path / asked))
    leave_log(
        path,
        "create temp macro called(x) as x + 1",
        "create table made (a integer, b integer generated always as (called(a)) virtual)",
        f"create macro main.called(x) as (select count(*)::integer from read_csv({other}))",
        "alter table made add column c integer",
    )
    if name == "link.duckdb":
        Path(name).symlink_to(path)
    elif "?" in name:
        path.rename(name)
        Path(f"{path}.wal").rename("w.wal?.duckdb")
    is_replayed = duckdb.__version__.startswith("1.") and "?" not in name
    told = "while replaying" if is_replayed else "disabled by configuration"
    for read_only in (True,) if "?" in name else (True, False):
        with pytest.raises(WarehouseError, match=told):
            evalsql.open(name, read_only=read_only)


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
@pytest.mark.usefixtures("few_measures")
def test_a_log_beside_a_file_with_a_question_mark_is_read_where_the_message_says(
    crafted: Crafted, tmp_path: Path
) -> None:
    path = crafted(name="a.duckdb")
    leave_log(path, "create table more as select 42 as a")
    marked, log = path.rename(tmp_path / "a?b.duckdb"), Path(f"{path}.wal").rename(tmp_path / "a.wal?b.duckdb")
    moves = f"to a path without a question mark, as w.duckdb, and its log {log} to w.duckdb.wal there"
    with pytest.raises(WarehouseError, match=re.escape(moves)):
        evalsql.open(marked, read_only=True)
    moved = marked.rename(tmp_path / "w.duckdb")
    log.rename(tmp_path / "w.duckdb.wal")
    with evalsql.open(moved, read_only=True) as warehouse:
        assert warehouse.rows("from more") == [(42,)]


@pytest.mark.usefixtures("few_measures")
def test_a_log_beside_a_file_is_read(crafted: Crafted) -> None:
    path = crafted()
    leave_log(path, "create table more as select 42 as a")
    with evalsql.open(path, read_only=True) as warehouse, evalsql.open(path, read_only=True) as again:
        assert warehouse.rows("from more") == again.rows("from more") == [(42,)]
    with evalsql.open(path) as warehouse:
        assert warehouse.rows("from more") == [(42,)]
    assert not Path(f"{path}.wal").exists()


@pytest.mark.skipif(os.name == "nt", reason="no such links there")
@pytest.mark.usefixtures("few_measures")
@pytest.mark.parametrize("end", ["wal", "wal.checkpoint", "wal.recovery"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_nothing_is_written_through_a_log(crafted: Crafted, tmp_path: Path, end: str, kind: str) -> None:
    path, other = crafted(), tmp_path / "other"
    log = Path(f"{path}.{end}")
    os.mkfifo(log) if kind == "pipe" else log.symlink_to(other)
    if kind == "link":
        other.write_text("kept")
    for read_only in (True, False):
        with (
            pytest.raises(WarehouseError, match=f"w.duckdb.{end} beside it, .* is a link or no file"),
            evalsql.open(path, read_only=read_only) as warehouse,
        ):
            warehouse.load_run({"T01": {"d": 1.0}}, "more")
    assert other.read_text() == "kept" if kind == "link" else not other.exists()


@pytest.mark.skipif(os.name == "nt", reason="no such links there")
@pytest.mark.parametrize("how", few_of(["read", "write", ":memory:"], 1))
def test_what_does_not_fit_into_memory_goes_through_no_link(
    crafted: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """DuckDB 1.5 always gives what it spills the same names, and 2.0 names that have the number of the process."""
    monkeypatch.chdir(tmp_path)
    path, elsewhere = crafted(), tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in (f"{path}.tmp", ".tmp"):
        Path(name).symlink_to(elsewhere)
    held = sorted(tmp_path.iterdir())
    with evalsql.open(how if how == ":memory:" else path, read_only=how == "read") as asked:
        asked.execute("set threads = 1; set memory_limit = '60MB'")
        asked.execute("create temp table many as select i, md5(i::varchar) as hash from range(3_000_000) as t(i)")
        ((place,),) = asked.rows("select current_setting('temp_directory')")
        assert list(Path(place).iterdir())
        assert not list(elsewhere.iterdir())
    assert not Path(place).exists()
    assert sorted(tmp_path.iterdir()) == held
