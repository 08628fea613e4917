"""A process that serves and dies is followed by another one, and none is left where nobody keeps it."""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from threading import Event

import pytest

import evalsql
from evalsql import UsageError
from evalsql.cli.kept_process import keep
from evalsql.errors import EvalsqlError
from tests.conftest import write
from tests.long_cases import few_of
from tests.server.served import DEEP, HAS_SERVER, REASON, Served

SIGNALS = (signal.SIGTERM, signal.SIGINT)
needs_server = pytest.mark.skipif(not HAS_SERVER and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason=REASON)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals end these processes")


def acts(folder: Path, plan: Sequence[str], stop: Event, begun: Callable[[], None]) -> None:
    """Do what the next words of a plan say, of which each process has its own."""
    nth = len(list(folder.iterdir()))
    (folder / str(nth)).touch()
    for word in plan[nth].split():
        if word == "serve":
            begun()
        elif word == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif word == "exit":
            os._exit(3)
        elif word == "stop":
            os.kill(os.getppid(), signal.SIGTERM)
            assert stop.wait(60)
        elif word == "raise":
            raise UsageError("no such file")


@pytest.fixture
def handlers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    before = [signal.getsignal(number) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize(
    ("plan", "code", "reasons"),
    few_of(
        [
            (["crash"] * 3, 3, ["SIGSEGV"] * 2),
            (["serve stop exit", "end"], 0, ["exit code 3"]),
            (
                ["crash", "exit", "serve crash", "exit", "exit", "end"],
                0,
                ["SIGSEGV", "exit code 3"] * 2 + ["exit code 3"],
            ),
            ([*["serve crash"] * 4, "raise"], 2, ["SIGSEGV"] * 4),
        ]
    ),
)
def test_who_dies_is_followed_by_another_one(tmp_path: Path, plan: list[str], code: int, reasons: list[str]) -> None:
    """Until it ends in order, or three have come to nothing."""
    lines: list[str] = []
    ends = pytest.raises(EvalsqlError, match=r"no such file|before they served") if code else nullcontext()
    with ends as ended:
        keep("w.duckdb", partial(acts, tmp_path, plan), lines.append)
    assert code == (ended.value.exit_code if ended else 0)
    assert len(list(tmp_path.iterdir())) == len(plan)
    assert lines == [f"w.duckdb: the process that serves it has died ({each}); another one starts" for each in reasons]


@pytest.mark.usefixtures("handlers")
def test_no_module_of_the_current_folder_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "here" / "multiprocessing.py", "raise SystemExit(9)\n")
    (tmp_path / "served").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    keep("w.duckdb", partial(acts, tmp_path / "served", ["serve"]), pytest.fail)


@needs_server
def test_a_fault_of_the_engine_ends_a_server_for_seconds_only(own: Served) -> None:
    """The statements end the process by a stack overflow; it may be as often as anybody likes."""
    with evalsql.open(own.url, token=own.write_token) as writer:
        writer.execute("create table main.kept (a integer); insert into main.kept values (1)")
    for nth, statement in enumerate(DEEP, start=2):
        assert own.command("sql", statement, token=own.read_token).returncode == 3
        own.wait_until_served(nth)
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert reader.rows("select a from main.kept") == [(1,)]
    assert own.told().count("has died (SIG") == len(DEEP)
    assert own.end() == 0
    assert not Path(f"{own.path}.wal").exists()


@needs_server
def test_no_process_is_left_where_the_one_that_keeps_it_is_killed(own: Served) -> None:
    own.end(signal.SIGKILL)
    own.wait_for(lambda: not own.is_listening())
    with evalsql.open(own.path) as warehouse:
        assert warehouse.rows("select count(*) from runs") == [(3,)]
