"""A server in a process of its own, for tests and trials to ask."""

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event

from evalsql.database import engine, quack

HAS_SERVER = quack.extension("quack") is not None
REASON = f"DuckDB {engine.__version__} has no extension quack here: pip install '.[server]'"
_STARTING = 600.0  # seconds
_PATIENCE = 300.0
RUNS = ("bm25", "dense", "tfidf")  # of the served sample
NEVER = "select count(*) from range(1000000000000) as t(a) where a % 7 = a % 11"  # has no end
# An error of the engine's own in DuckDB 1.5.5, after which it answers nobody.
INTERNAL = "select reservoir_quantile(1.5::decimal(4, 1), []) over (order by a rows 1 preceding) from range(5) as t(a)"
# Each ends the process of DuckDB 1.5.5 by a stack overflow.
_BRACKETS = "repeat('[', 200000) || repeat(']', 200000)"
DEEP = [
    f"select json_structure({_BRACKETS})",
    f"select ({_BRACKETS})::json::variant",
    f"select json_transform('[]', {_BRACKETS})",
]
# The extension's message that begins a session: the token after its length, the version and the platform.
_VERSION = b"\x02\x00\x06v1.5.5\x03\x00\x0blinux_amd64\x04\x00\x01\x05\x00\x01\xff\xff"
_OF_SESSION = b"\x01\x00%c\x02\x00 %s\x03\x00\x01\xff\xff"
_CONNECT = b"\x01\x00\x01\x03\x00\x05\xff\xff\x01\x00%c%s" + _VERSION
_PAIR = "c{1} as not materialized (select x.a from c{0} as x join c{0} as y using (a))"
# Too large to plan: each reads the one before it twice.
TOO_LARGE = f"with c0 as (select 1 as a), {', '.join(_PAIR.format(at, at + 1) for at in range(40))} from c40"


class Served:
    """A warehouse's file and the process that serves it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.port = free_port()
        self.log = path.with_name("serve.log")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"quack:localhost:{self.port}"

    @property
    def write_token(self) -> str:
        return Path(f"{self.path}.token").read_text(encoding="utf-8").strip()

    @property
    def read_token(self) -> str:
        return Path(f"{self.path}.read-token").read_text(encoding="utf-8").strip()

    def start(self, *further: str) -> None:
        """Start the server, and wait until it answers."""
        self.log.unlink(missing_ok=True)
        words = ["serve", "--db", str(self.path), "--listen", f"localhost:{self.port}", *further]
        with self.log.open("wb") as stream:
            self.process = subprocess.Popen([sys.executable, "-m", "evalsql", *words], stderr=stream)
        until = time.monotonic() + _STARTING
        while " serving " not in self.told():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"the server did not start: {self.told()}")
            time.sleep(0.05)

    def told(self) -> str:
        """What it has written to standard error."""
        return self.log.read_text(encoding="utf-8")

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so; TimeoutError where it does not come."""
        until = time.monotonic() + _PATIENCE
        while not is_so():
            if time.monotonic() > until:
                raise TimeoutError(f"it did not come to be: {self.told()}")
            time.sleep(0.1)

    def wait_until_served(self, nth: int) -> None:
        """Wait for the ``nth`` process that serves."""
        self.wait_for(lambda: self.told().count(" serving ") >= nth)

    def connect(self, token: str, times: int) -> list[bytes]:
        """Open so many sessions as fast as it goes, as the extension does, and leave them open; their names."""
        connection = http.client.HTTPConnection("localhost", self.port, timeout=60)
        names: list[bytes] = []
        for _ in range(times):
            connection.request("POST", "/quack", _CONNECT % (len(token), token.encode()))
            names += re.findall(rb"[0-9A-F]{32}", connection.getresponse().read())
        connection.close()
        return names

    def send(self, session: bytes, statement: str) -> None:
        """Send a statement of fewer than 128 characters in a session, and wait for no answer."""
        asked = b"\x01\x00%c%s\xff\xff" % (len(statement), statement.encode())
        self._post(_OF_SESSION % (3, session) + asked)

    def end_session(self, session: bytes) -> None:
        self._post(_OF_SESSION % (11, session) + b"\xff\xff")

    def _post(self, body: bytes) -> None:
        connection = http.client.HTTPConnection("localhost", self.port, timeout=60)
        with suppress(OSError):  # it starts again
            connection.request("POST", "/quack", body)
        connection.close()

    @contextmanager
    def crowded(self, *, is_slow: bool, num_connections: int = 140) -> Iterator[None]:
        """So many connections without a token, more than there are threads, that all ask or send a byte every second.

        A request that is whole is answered, and then the connection waits for another one.
        """
        over = Event()
        asked = b"POST /quack HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\nx"

        def keep() -> None:
            while not over.is_set():
                with suppress(OSError), socket.create_connection(("localhost", self.port), timeout=5) as connection:
                    connection.sendall(asked % (100_000 if is_slow else 1))
                    while is_slow or connection.recv(4096):
                        if over.wait(1 if is_slow else 4):
                            break
                        connection.sendall(b"x" if is_slow else asked % 1)

        with ThreadPoolExecutor(num_connections) as threads:
            for _ in range(num_connections):
                threads.submit(keep)
            try:
                time.sleep(3)
                yield
            finally:
                over.set()

    def is_listening(self) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal; the code that it ends with."""
        if self.process is None:
            return 0
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def command(self, *words: object, token: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command as a client."""
        return finished(self.begin(words, token))

    def begin(self, words: Sequence[object], token: str | None = None) -> subprocess.Popen[str]:
        """Begin a command as a client, in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "evalsql", *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "EVALSQL_DB": self.url, "EVALSQL_TOKEN": self.write_token if token is None else token},
        )


def finished(client: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    output, problems = client.communicate(timeout=300)
    return subprocess.CompletedProcess(client.args, client.returncode, output, problems)


def free_port() -> int:
    """A port of loopback that nobody listens on, below those that a system gives to whoever asks for any."""
    for port in random.SystemRandom().sample(range(20_000, 30_000), 100):
        with suppress(OSError), socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")
