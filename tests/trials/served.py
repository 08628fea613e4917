"""What a reader of a server can do to others: take its memory, its time or its connections, or be there when it dies.

Each attack is made on a server of its own, which has a reader that works meanwhile, and is to be there afterwards.
"""

import signal
import socket
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import evalsql
from tests.server.served import DEEP, NEVER, TOO_LARGE, Served, finished
from tests.trials.loads import told

_CONNECTIONS = 300
_PATIENCE = 300.0  # seconds in which something is to happen


def main(count: int = 5) -> int:
    """Make each attack so many times; how many of them took the server from others."""
    counts: Counter[str] = Counter()
    for attack in (memory, time_, idle, restart, faults, crowds, sessions):
        for _ in range(count):
            with tempfile.TemporaryDirectory() as folder:
                served = Served(Path(folder) / "team.duckdb")
                with evalsql.open(served.path) as warehouse:
                    warehouse.load_qrels({"q": {"d": 1}}, "judged")
                    warehouse.load_run({"q": {"d": 1.0}}, "system")
                try:
                    counts[attack(served)] += 1
                    counts[_afterwards(served)] += 1
                finally:
                    served.end(signal.SIGKILL)
    return told(counts)


def memory(served: Served) -> str:
    served.start("--memory-limit", "700MB")
    ended = served.command("sql", TOO_LARGE, token=served.read_token)
    is_alone = ended.returncode == 2 and "Allocation failure" in ended.stderr and served.told().count(" serving ") == 1
    return "memory: a query too large to plan ended alone" if is_alone else f"WRONG: memory: {ended.stderr[-300:]}"


def time_(served: Served) -> str:
    """Somebody else never ceases to ask."""
    served.start("--time-limit", "3")
    ended = served.begin(["sql", NEVER], served.read_token)
    began = time.monotonic()
    while served.told().count(" serving ") < 2 and time.monotonic() - began < _PATIENCE:
        served.command("sql", "select 1", token=served.read_token)
    outcome = finished(ended)
    if outcome.returncode != 3 or "--time-limit" not in outcome.stderr:
        return f"WRONG: time: {outcome.stderr[-300:]}"
    return "time: a statement without an end was given up, and its client told"


def idle(served: Served) -> str:
    served.start()
    with ExitStack() as silent:
        for _ in range(_CONNECTIONS):
            silent.enter_context(socket.create_connection(("localhost", served.port)))
        began = time.monotonic()
        with evalsql.open(served.url, token=served.read_token, read_only=True) as reader:
            reader.rows("select 1")
        seconds = time.monotonic() - began
    fast = f"idle: beside {_CONNECTIONS} connections that say nothing a reader was answered within 4 seconds"
    return fast if seconds < 4 else f"WRONG: idle: {seconds:.1f} seconds"


def restart(served: Served) -> str:
    served.start()
    asking = served.begin(["sql", NEVER], served.read_token)
    served.wait_for(lambda: NEVER in served.told())
    served.end(signal.SIGKILL)
    code = finished(asking).returncode
    served.start()
    return "restart: killed in mid-statement, it listened again at once" if code == 3 else f"WRONG: restart: {code}"


def faults(served: Served) -> str:
    served.start()
    codes = []
    for nth, statement in enumerate(DEEP, start=2):
        codes.append(served.command("sql", statement, token=served.read_token).returncode)
        served.wait_until_served(nth)
    if set(codes) != {3}:
        return f"WRONG: faults: {codes}"
    return f"faults: the engine died {len(DEEP)} times, the client was told, and the server started again"


def crowds(served: Served) -> str:
    """Nobody else was answered before for as long as it went on."""
    served.start()
    seconds = []
    for is_slow in (True, False):
        with served.crowded(is_slow=is_slow):
            began = time.monotonic()
            with evalsql.open(served.url, token=served.read_token, read_only=True) as reader:
                reader.rows("select 1")
            seconds.append(time.monotonic() - began)
    told = (
        "crowds: beside 140 connections without a token that keep all threads a reader was answered within 30 seconds"
    )
    return told if max(seconds) < 30 else f"WRONG: crowds: {seconds}"


def sessions(served: Served) -> str:
    served.start()
    with evalsql.open(served.url, token=served.read_token, read_only=True) as reader:
        served.connect(served.read_token, 3000)
        for _ in range(30):
            reader.rows("select 1")
            time.sleep(0.1)
    began = time.monotonic()
    served.wait_for(lambda: not served.command("ls", token=served.read_token).returncode)
    is_alone = served.told().count(" serving ") == 1 and time.monotonic() - began < 60
    told = "sessions: beside 3,000 of one client a reader was answered, and another one within a minute"
    return told if is_alone else "WRONG: sessions"


def _afterwards(served: Served) -> str:
    asked = served.command("leaderboard", "-m", "AP", "--format", "csv", token=served.read_token)
    is_whole = asked.stdout == "qrels,run,AP\njudged,system,1.0\n"
    code = served.end()
    if not is_whole or code or Path(f"{served.path}.wal").exists():
        return f"WRONG: afterwards {asked.stdout} {asked.stderr[-300:]}, ended with {code}"
    return "servers that answered afterwards, ended with 0 and left all in the file"
