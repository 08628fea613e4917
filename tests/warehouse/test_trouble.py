"""Locks, damage, full disks and interrupts: nothing is lost, and what to do is said."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

import evalsql
from evalsql import UsageError, Warehouse, WarehouseError
from evalsql.database import disk, engine
from evalsql.database.database import Database
from evalsql.database.disk import whole_file
from evalsql.database.engine import interruptible
from evalsql.database.engine_errors import translated_errors
from evalsql.database.statement_text import first_word
from tests.conftest import SAMPLE, Command, assert_refused, new_file, write
from tests.long_cases import few_of
from tests.trials import loads

FULL = Path("/dev/full")


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file gets larger, which fails as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the file open for writing until it is sent a line, at the latest at the end."""
    code = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    try:
        yield holder
    finally:
        holder.communicate("\n", timeout=300)


# Locks


@pytest.mark.parametrize(
    ("arguments", "read_only"), few_of([(("load", "qrels", SAMPLE / "qrels.txt"), True), (("ls",), False)], 1)
)
def test_a_lock_is_told_with_its_holder_and_waited_for(
    command: Command, tmp_path: Path, arguments: tuple[object, ...], read_only: bool
) -> None:
    path = new_file(tmp_path)
    stages: list[str] = []
    with held(path) as holder:
        before = time.monotonic()
        outcome = command(*arguments, "--db", path, "--wait", "0.5")
        assert time.monotonic() - before >= 0.5
        assert_refused(outcome, f"{path}: is locked: process {holder.pid} (", "--wait", code=3)
        assert not any(word in outcome.stderr for word in ("readonly", "duckdb.org"))

        def told(stage: str, done: int, total: int) -> None:
            if not stages:
                print(file=holder.stdin, flush=True)  # which ends it
            stages.append(stage)

        with evalsql.open(path, read_only=read_only, wait=300, progress=told) as warehouse:
            assert warehouse.rows("select count(*) from runs") == [(0,)]
        assert stages[0].startswith(f"waiting for process {holder.pid} (")


# Files that were never finished


def test_a_file_that_was_never_filled_is_unfinished(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "new.duckdb"
    duckdb.connect(str(path)).close()
    whole = path.read_bytes()
    for size in (0, 100, 5000, len(whole)):
        path.write_bytes(whole[:size])
        outcome = command("ls", "--db", path)
        assert_refused(outcome, f"{path}: is an unfinished warehouse", "evalsql load makes it anew", code=3)
        assert ("delete it" in outcome.stderr) == (size < len(whole))
    assert command("load", "qrels", SAMPLE / "qrels.txt", "--db", path).returncode == 0
    assert command("ls", "--db", path).returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
@pytest.mark.parametrize("name", few_of([":memory:x", "duckdb:w", "s3:w.duckdb"], 1))
def test_a_file_has_the_name_that_it_is_opened_by(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The engine would keep rows in memory, write to another file or look for an extension."""
    monkeypatch.chdir(tmp_path)
    with evalsql.open(name) as warehouse:
        warehouse.load_qrels({"q": {"d": 1}}, "tiny")
    with evalsql.open(name, read_only=True) as warehouse:
        assert warehouse.rows("select qrels from qrels") == [("tiny",)]
    assert [each.name for each in tmp_path.iterdir()] == [name]


# Damage, and disks that are full


@pytest.mark.parametrize("every", few_of([6, 1], 1))
def test_damage_is_told_with_exit_code_3(command: Command, sample_file: Path, tmp_path: Path, every: int) -> None:
    path = new_file(tmp_path, like=sample_file)
    whole = path.read_bytes()
    codes = set()
    for block in range(0, (len(whole) - 12288) // 262144, every):
        at = 12288 + 262144 * block + 5000
        path.write_bytes(whole[:at] + bytes(255 - byte for byte in whole[at : at + 100]) + whole[at + 100 :])
        outcome = command("leaderboard", "-m", "AP", "--db", path)
        codes.add(outcome.returncode)
        if outcome.returncode:
            assert_refused(outcome, f"evalsql: {path}: is damaged", "Put a copy in its place", code=3)
    assert codes == {0, 3}


def test_a_full_disk_is_told_with_exit_code_3_and_its_file() -> None:
    message = 'IO Error: Could not write file "/w/a.duckdb.wal": No space left on device'
    with (
        pytest.raises(WarehouseError, match=r"^/w/a\.duckdb\.wal: the disk is full") as told,
        translated_errors("/w/a"),
    ):
        raise duckdb.IOException(message)
    assert told.value.exit_code == 3


def test_what_is_only_in_the_log_is_told(command: Command, tmp_path: Path) -> None:
    path = new_file(tmp_path)
    log, loading = Path(f"{path}.wal"), ("load", "qrels", SAMPLE / "qrels.txt", "--db", path)
    with files_end_at(path.stat().st_size):
        outcome = command(*loading)
    told = (f"{path}: not everything could be written", f"{log} holds")
    assert_refused(outcome, "loaded judgments qrels", *told, code=3)
    assert log.stat().st_size
    command("sql", "--write", "select 1", "--db", path)
    assert not log.exists()
    assert "qrels" in command("ls", "--db", path).stdout


@pytest.mark.long
def test_an_import_is_given_up_where_its_log_does_not_go_into_the_file(
    command: Command, sample_file: Path, tmp_path: Path
) -> None:
    """The log took the place of the file."""
    command("export", "warehouse", "folder", "--db", sample_file)
    with files_end_at(sample_file.stat().st_size // 2):
        outcome = command("import", "folder", "--db", "new.duckdb")
    assert_refused(outcome, "new.duckdb: the disk is full", "given up", code=3)
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_file_that_a_full_disk_has_no_room_for_was_not_stopped(command: Command) -> None:
    with files_end_at(5000):
        assert_refused(command("demo"), "evalsql-demo.duckdb: the disk is full", code=3)
    assert_refused(command("demo"), "was stopped, or had no room", "delete it", code=3)


@pytest.mark.parametrize("extension", few_of(["csv", "html"], 1))
def test_an_output_that_cannot_be_finished_leaves_what_was_there(
    command: Command, sample_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extension: str
) -> None:
    output = tmp_path / f"out.{extension}"
    arguments = ["leaderboard", "-m", "AP"] if extension == "csv" else ["report", "-m", "AP"]
    open_file = Path.open

    def half_full(path: Path, mode: str = "r", *others: object, **named: object) -> object:
        stream = open_file(path, mode, *others, **named)  # type: ignore[call-overload]
        if not path.name.endswith(".part"):
            return stream
        stream.write(b"half of it")
        stream.close()
        return open_file(FULL, "wb")

    for earlier in (None, "earlier"):
        if earlier:
            output.write_text(earlier)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", half_full)
            outcome = command(*arguments, "--db", sample_file, "--output", output)
        assert_refused(outcome, f"{output}: cannot be written: the disk is full", code=3)
        assert [path.name for path in tmp_path.iterdir()] == ([output.name] if earlier else [])
    assert output.read_text() == "earlier"


def test_an_output_that_is_interrupted_leaves_what_was_there(tmp_path: Path) -> None:
    output = write(tmp_path / "page.html", "earlier")
    output.chmod(0o640)

    def write_half() -> None:
        with whole_file(output) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert output.read_text() == "earlier"
    link = tmp_path / "link.html"
    link.symlink_to(output)
    with whole_file(link) as stream:
        stream.write(b"whole")
    assert link.is_symlink()
    assert output.read_text() == "whole"
    assert output.stat().st_mode & 0o777 == 0o640
    longest = tmp_path / ("é" * 127)  # of 254 bytes, one less than systems allow
    with whole_file(longest) as stream:
        stream.write(b"whole")
    assert longest.read_bytes() == b"whole"
    with pytest.raises(UsageError, match="directory"), whole_file(tmp_path):
        pass


# Interrupts


@pytest.mark.long
def test_ctrl_c_at_any_time_changes_nothing_or_tells_what_was_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    assert loads.interrupts(12) == 0, capsys.readouterr().out


def test_ctrl_c_just_before_the_engine_begins_stops_the_query() -> None:
    """The engine forgets an interrupt that comes before its query, which would run to its end."""

    def ask() -> None:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(duckdb.InterruptException):
            connection.execute("select sum(a.range * b.range % 7) from range(60000) as a, range(60000) as b")

    with duckdb.connect() as connection:
        with pytest.raises(KeyboardInterrupt), interruptible(connection):
            ask()
        assert connection.execute("select 1").fetchall() == [(1,)]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def interrupt_at(patch: pytest.MonkeyPatch, statement: str, *, before: bool) -> None:
    """Send Ctrl-C before or after statements that begin so are executed."""
    execute = Database.execute

    def interrupted(database: Database, sql: str, parameters: Sequence[object] = ()) -> None:
        is_hit = sql.strip().startswith(statement)
        if is_hit and before:
            signal.raise_signal(signal.SIGINT)
        execute(database, sql, parameters)
        if is_hit and not before:
            signal.raise_signal(signal.SIGINT)

    patch.setattr(Database, "execute", interrupted)


@pytest.mark.parametrize("hit", ["commit", "insert into runs"])
def test_ctrl_c_at_the_commit(empty: Warehouse, monkeypatch: pytest.MonkeyPatch, hit: str) -> None:
    """Before it nothing is kept; during it all is, and the exception says so."""
    empty.load_qrels({"t": {"d": 1}}, "judged")
    with monkeypatch.context() as patch:
        interrupt_at(patch, hit, before=True)
        with pytest.raises(KeyboardInterrupt) as told:
            empty.load_run({"t": {"d": 1.0}}, "run")
    assert empty.rows("select count(*) from runs") == [(int(hit == "commit"),)]
    assert ("stays" in str(told.value)) == (hit == "commit")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    empty.load_run({"t": {"d": 1.0}}, "another")


def test_a_command_that_has_committed_goes_on(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = new_file(tmp_path)
    interrupt_at(monkeypatch, "commit", before=False)
    outcome = command("load", "qrels", SAMPLE / "qrels.txt", "--db", path)
    assert (outcome.returncode, outcome.stderr.startswith("loaded judgments qrels")) == (0, True)


def test_ctrl_c_waits_until_a_file_is_connected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine would say in words of its own that a query was interrupted."""
    path = new_file(tmp_path)
    connections = []

    def interrupted(*arguments: Any, **options: Any) -> duckdb.DuckDBPyConnection:
        signal.raise_signal(signal.SIGINT)
        connections.append(duckdb.connect(*arguments, **options))
        return connections[0]

    with monkeypatch.context() as patch:
        patch.setattr(engine, "connect", interrupted)
        with pytest.raises(KeyboardInterrupt):
            evalsql.open(path)
    (connection,) = connections
    assert connection.execute("select current_setting('enable_progress_bar')").fetchall() == [(False,)]
    connection.close()


@pytest.mark.parametrize(
    ("body", "code"),
    few_of(
        [
            ("raise RuntimeError('calling __set_name__') from KeyboardInterrupt()", 130),
            ("watch = weakref.ref(set(), lambda _: signal.raise_signal(signal.SIGINT)); time.sleep(0.5)", 130),
            ("raise RuntimeError('calling __set_name__') from ValueError()", 1),
            ("watch = weakref.ref(set(), lambda _: 1 / 0)", 0),
        ]
    ),
)
def test_an_interrupt_that_python_drops_or_turns_into_another_error_is_one(body: str, code: int) -> None:
    """Both happen in imports, which have callbacks and errors of their own."""
    words = f"""
import signal, sys, time, weakref, evalsql.__main__, evalsql.cli
def main():
    {body}
    sys.exit(0)
evalsql.cli.main = main
evalsql.__main__.run()
"""
    outcome = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, timeout=300)
    assert (outcome.returncode, "Traceback" in outcome.stderr) == (code, code != 130)


# First uses side by side, and what killed processes leave


def test_folders_of_killed_processes_are_taken_away(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    own, gone, here = disk.host(), ended.pid, os.getpid()
    old = [f"evalsql-{own}-{gone}-a", f"evalsql-{own}-{here}-b", f"evalsql-elsewhere-{gone}-c", "evalsql-notes", "tmpx"]
    for name in [*old, f"evalsql-{own}-{gone}-young"]:
        write(tmp_path / name / "file", "text")
    for name in old:
        os.utime(tmp_path / name, (1_000_000, 1_000_000))
    with disk.scratch_folder(tmp_path) as folder:
        assert Path(folder).name.startswith(f"evalsql-{own}-{here}-")
    assert {path.name for path in tmp_path.iterdir()} == {*old[1:], f"evalsql-{own}-{gone}-young"}


@pytest.mark.parametrize("is_there", few_of([True, False], 1))
def test_parts_of_killed_processes_are_taken_away_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    target, site = tmp_path / "a[1].duckdb", tmp_path / "site"
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", os.getppid)
        alive = disk.part_of(site)
        patch.setattr(os, "getpid", lambda: ended.pid)
        file, folder = write(disk.part_of(target), "half"), disk.part_of(site)
    before = folder.with_suffix(".before")
    for path in (folder, before, alive, *([site] if is_there else [])):
        path.mkdir()
    for path in (file, folder, before, alive):
        os.utime(path, (1_000_000, 1_000_000))
    with whole_file(target), disk.whole_folder(site, is_ours=True):
        pass
    assert {*tmp_path.iterdir()} == {target, site, alive, *([] if is_there else [before])}


@pytest.mark.long
def test_a_killed_load_leaves_no_folder_long(process: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    path = new_file(tmp_path)
    loading = subprocess.Popen(
        [sys.executable, "-m", "evalsql", "load", "qrels", "-", "--name", "q", "--db", path], stdin=subprocess.PIPE
    )
    # Python tries the place with a file of its own first, which is none of the program's.
    while not (left := list(place.glob("evalsql-*"))):
        time.sleep(0.05)
    loading.kill()
    loading.communicate(timeout=300)
    assert [folder.exists() for folder in left] == [True]
    os.utime(left[0], (1_000_000, 1_000_000))
    assert process("load", "qrels", SAMPLE / "qrels.txt", "--db", path).returncode == 0
    assert list(place.iterdir()) == []


# Statements and blank lines


def test_the_first_word_of_a_statement_stands_behind_comments() -> None:
    words = {"begin": "begin", "  COMMIT;": "commit", "-- why\nStart transaction": "start", "-- begin": "", "": ""}
    assert {query: first_word(query) for query in words} == words
    assert first_word("/* commit\n */ rollback;") == "rollback"
