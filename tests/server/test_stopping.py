"""Clients and servers that are killed, statements that never end: nothing committed is lost, and others go on."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import evalsql
from evalsql import WarehouseError
from tests.conftest import SAMPLE, assert_refused
from tests.server.served import HAS_SERVER, INTERNAL, NEVER, REASON, TOO_LARGE, Served, finished

pytestmark = pytest.mark.skipif(not HAS_SERVER and not os.environ.get("EVALSQL_DEMAND_SERVER"), reason=REASON)
# It stops before the commit of a load.
_STOPS = """
import sys, time, evalsql
warehouse = evalsql.open(sys.argv[1])
def stop():
    print("ready", flush=True)
    time.sleep(600)
warehouse.loader.check = stop
warehouse.load_run({"T01": {"d1": 1.0}}, "half")
"""


@contextmanager
def stopped_load(server: Served) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of a load; it is killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", _STOPS, server.url],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "EVALSQL_TOKEN": server.write_token},
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    yield process
    process.kill()
    process.wait()


def _runs(place: Path | str, token: str | None = None) -> list[str]:
    with evalsql.open(place, read_only=True, token=token) as warehouse:
        return [run for (run,) in warehouse.rows("select run from runs order by run")]


@pytest.mark.long
def test_a_client_killed_in_mid_load_leaves_nothing_and_the_next_has_its_turn(own: Served) -> None:
    with stopped_load(own):
        waiting = own.begin(["load", "runs", SAMPLE / "runs" / "random.run"])
        assert own.command("leaderboard", "-m", "AP").returncode == 0  # readers do not wait
        time.sleep(3)
        assert waiting.poll() is None
    assert finished(waiting).returncode == 0
    assert "has gone: its session is ended" in own.told()
    assert _runs(own.url, token=own.read_token) == ["bm25", "dense", "random", "tfidf"]
    assert own.end() == 0
    assert not Path(f"{own.path}.wal").exists()


@pytest.mark.long
def test_ctrl_c_ends_a_load_that_waits_for_its_turn(own: Served) -> None:
    with stopped_load(own) as holding:
        waiting = own.begin(["load", "runs", SAMPLE / "runs" / "random.run"])
        # The last that a client asks before its turn. Each beat of the one that writes connects as well.
        until = time.monotonic() + 300
        while own.told().count("from main.added_relations") < 2 and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(1)
        waiting.send_signal(signal.SIGINT)
        assert_refused(finished(waiting), "nothing was loaded", code=130)
        assert holding.poll() is None


@pytest.mark.long
def test_a_server_killed_in_mid_load_loses_nothing_committed_and_says_what_happened(own: Served) -> None:
    assert own.command("load", "runs", SAMPLE / "runs" / "random.run").returncode == 0
    with stopped_load(own):
        own.end(signal.SIGKILL)
        own.start()
        assert "did not end properly" in own.told()
        assert _runs(own.url, token=own.read_token) == ["bm25", "dense", "random", "tfidf"]


def test_a_server_that_is_told_to_stop_rolls_back_what_is_open_and_ends_with_0(own: Served) -> None:
    with stopped_load(own):
        assert own.end() == 0
        assert not Path(f"{own.path}.wal").exists()
    assert _runs(own.path) == ["bm25", "dense", "tfidf"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what a process takes")
def test_a_query_too_large_to_plan_ends_alone(own: Served) -> None:
    own.end()
    own.start("--memory-limit", "700MB")
    too_large = own.command("sql", TOO_LARGE, token=own.read_token)
    assert (too_large.returncode, too_large.stderr) == (2, "evalsql: Allocation failure\n")
    # Until what was planned is given back, which takes seconds, there is no memory for others.
    own.wait_for(lambda: own.command("ls", token=own.read_token).returncode == 0)
    assert own.told().count(" serving ") == 1
    assert own.end() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what a process takes")
def test_no_server_takes_all_that_the_machine_has(own: Served) -> None:
    """A request may be of any size, and is held in memory before its token is looked at."""
    assert own.process
    number = own.process.pid
    served = Path(f"/proc/{number}/task/{number}/children").read_text().split()

    def is_limited() -> bool:
        limits = [line for each in served for line in Path(f"/proc/{each}/limits").read_text().splitlines()]
        return any(line.startswith("Max data size") and line.split()[3].isdigit() for line in limits)

    own.wait_for(is_limited)


def test_an_error_of_the_engine_s_own_keeps_nobody_away_for_long(own: Served) -> None:
    """After one the engine answers nobody any more, and only another process opens the file again."""
    with evalsql.open(own.url, token=own.write_token) as writer:
        writer.execute("create table main.kept (a integer); insert into main.kept values (1)")
    broken = own.command("sql", INTERNAL, token=own.read_token)
    assert "Attempted to access index 0 within vector of size 0" in broken.stderr
    until = time.monotonic() + 300
    while own.told().count(" serving ") < 2 and time.monotonic() < until:
        time.sleep(0.1)
    with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
        assert reader.rows("select a from main.kept") == [(1,)]
    assert own.end() == 0


def test_a_server_killed_in_mid_statement_starts_again_at_once(own: Served) -> None:
    asking = own.begin(["sql", NEVER], own.read_token)
    while NEVER not in own.told():
        time.sleep(0.1)
    own.end(signal.SIGKILL)
    assert finished(asking).returncode == 3
    own.start()


@pytest.mark.long
@pytest.mark.parametrize("is_quiet", [True, False])
def test_a_statement_that_never_ends_is_given_up_and_nothing_committed_is_lost(own: Served, is_quiet: bool) -> None:
    """Also where others never cease to work; they are told."""
    own.end()
    own.start("--time-limit", "3")
    asking = own.begin(["sql", NEVER], own.read_token)
    while NEVER not in own.told():
        time.sleep(0.1)
    with evalsql.open(own.url, token=own.write_token) as writer:
        writer.execute("create table main.kept (a integer); insert into main.kept values (1)")
        if not is_quiet:
            writer.execute("begin")
            writer.execute("insert into main.kept values (2)")
            began = time.monotonic()
            told = ""
            while not told and time.monotonic() - began < 120:
                try:
                    writer.rows("select 1")
                except WarehouseError as error:
                    told = str(error)
            assert any(words in told for words in ("is stopping, and nothing of an open transaction", "--time-limit"))
    refused = finished(asking)
    assert refused.returncode == 3
    assert "--time-limit" in refused.stderr
    while own.told().count(" serving ") < 2:
        time.sleep(0.1)
    assert ("others had 3 seconds more" in own.told()) != is_quiet
    with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
        assert reader.rows("select a from main.kept") == [(1,)]
    assert own.end() == 0


@pytest.mark.long
@pytest.mark.parametrize("ends", [True, False])
def test_who_asks_on_in_mid_statement_or_ends_the_session_gets_no_more_time(own: Served, ends: bool) -> None:
    own.end()
    own.start("--time-limit", "3")
    (session,) = own.connect(own.read_token, 1)
    own.send(session, NEVER)
    own.wait_for(lambda: NEVER in own.told())
    until = time.monotonic() + 30
    while own.told().count(" serving ") < 2 and time.monotonic() < until:
        if ends:
            own.end_session(session)
        else:
            own.send(session, "select 2")
        time.sleep(1)
    assert "takes more than the 3 seconds of --time-limit" in own.told()
    own.wait_until_served(2)
    assert own.end() == 0


@pytest.mark.long
def test_sessions_that_come_and_go_leave_nothing_that_is_late(own: Served) -> None:
    own.end()
    own.start("--time-limit", "2")
    until = time.monotonic() + 8
    while time.monotonic() < until:
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert reader.rows("select 1") == [(1,)]
        assert own.command("sql", "select nothing", token=own.read_token).returncode
        (session,) = own.connect(own.read_token, 1)
        own.end_session(session)
        own.connect("unknown", 3)
    assert "--time-limit" not in own.told()
    assert own.told().count(" serving ") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds them back")
def test_connections_that_say_nothing_keep_nobody_waiting(own: Served) -> None:
    with ExitStack() as silent:
        for _ in range(300):
            silent.enter_context(socket.create_connection(("localhost", own.port)))
        began = time.monotonic()
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert reader.rows("select 1") == [(1,)]
        assert time.monotonic() - began < 4  # it was eight seconds and more


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what connections do")
@pytest.mark.parametrize("is_slow", [True, False])
def test_connections_that_keep_all_threads_are_closed(own: Served, is_slow: bool) -> None:
    """They need no token, and nobody was answered for as long as they pleased."""
    with own.crowded(is_slow=is_slow):
        began = time.monotonic()
        with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
            assert reader.rows("select 1") == [(1,)]
        assert time.monotonic() - began < 30


def test_thousands_of_sessions_end_no_server(own: Served) -> None:
    """The extension dies as it lists more than 2,048, and others wait while there are too many."""
    with evalsql.open(own.url, token=own.read_token, read_only=True) as reader:
        own.connect(own.read_token, 3000)
        for _ in range(30):
            assert reader.rows("select 1") == [(1,)]
            time.sleep(0.1)
        own.wait_for(lambda: own.command("ls", token=own.read_token).returncode == 0)
    assert own.told().count(" serving ") == 1
    assert own.end() == 0
