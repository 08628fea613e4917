"""The log beside a stranger's file, which the engine reads while it connects."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import evalsql
from evalsql import WarehouseError
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
def test_a_log_reads_no_other_file(
    crafted: Crafted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """To alter a table the engine binds its computed columns, and so a macro that has the name of their function."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    other, path = write(tmp_path / "other.csv", "a\n1\n"), crafted()
    leave_log(
        path,
        "create temp macro called(x) as x + 1",
        "create table made (a integer, b integer generated always as (called(a)) virtual)",
        f"create macro main.called(x) as (select count(*)::integer from read_csv('{other}'))",
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


@pytest.mark.usefixtures("few_measures")
def test_a_log_beside_a_file_is_read(crafted: Crafted) -> None:
    path = crafted()
    leave_log(path, "create table more as select 42 as a")
    with evalsql.open(path, read_only=True) as warehouse, evalsql.open(path, read_only=True) as again:
        assert warehouse.rows("from more") == again.rows("from more") == [(42,)]
    with evalsql.open(path) as warehouse:
        assert warehouse.rows("from more") == [(42,)]
    assert not Path(f"{path}.wal").exists()
