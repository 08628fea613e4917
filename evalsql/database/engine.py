"""DuckDB's engine: connections, their errors, and Ctrl-C while the engine works.

This imports the compiled module alone. The package ``duckdb`` adds relations and frames to connections and takes three
times as long to import, so it is imported where those are needed. Connections that are open by then get them too.

Python's own handler of Ctrl-C raises KeyboardInterrupt inside the engine. The engine then waits for its other threads
without stopping them, for as long as the query would have taken.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement

at_end = ExitStack()  # closed as the process ends
_AGAIN = 0.05  # seconds between two interrupts of the engine
# Of every connection: extensions come from no network, and a name in SQL is no variable of Python.
SETTINGS: dict[str, Any] = dict.fromkeys(
    ("autoinstall_known_extensions", "autoload_known_extensions", "python_enable_replacements"), False
)


@contextmanager
def interruptible(connection: DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C in the main thread stop the query inside; KeyboardInterrupt is raised once the engine has stopped."""
    over = threading.Event()
    interrupting: list[threading.Thread] = []

    def react() -> None:
        if not interrupting:
            interrupting.append(threading.Thread(target=interrupt, args=(connection, over), daemon=True))
            interrupting[0].start()

    with _handled(react):
        try:
            yield
        finally:
            over.set()
            for thread in interrupting:
                thread.join()


def interrupt(connection: DuckDBPyConnection, over: threading.Event, pause: float = 0.0) -> None:
    """Stop what runs after some seconds, again and again until it is over.

    The engine forgets an interrupt that comes before its query begins.
    """
    while not over.wait(pause):
        connection.interrupt()
        pause = _AGAIN


@contextmanager
def held_back(words: str = "") -> Iterator[None]:
    """Delay Ctrl-C until what runs inside is done; then KeyboardInterrupt is raised with these words."""
    with _handled(lambda: None, words):
        yield


def ignore_from_now_on() -> None:
    """Ignore Ctrl-C for the rest of this process, also one that is being held back."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _handled(react: Callable[[], None], words: str = "") -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    came = False

    def handle(_: int, __: FrameType | None) -> None:
        nonlocal came
        came = True
        react()

    try:
        signal.signal(signal.SIGINT, handle)
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if came:
                raise KeyboardInterrupt(words)


if TYPE_CHECKING:
    import duckdb as compiled
else:
    with held_back():  # an import that is cut in half is an ImportError, and cannot be done again
        try:
            import _duckdb as compiled
        except ImportError:  # no version promises the name
            import duckdb as compiled
BinderException, ConstraintException = compiled.BinderException, compiled.ConstraintException
Error, InterruptException = compiled.Error, compiled.InterruptException
__version__, connect, tokenize = compiled.__version__, compiled.connect, compiled.tokenize


@cache
def parser() -> DuckDBPyConnection:
    """A connection that takes texts of strangers apart: DuckDB 1.5 reads the files of an IMPORT as it does that."""
    return connect(config={**SETTINGS, "enable_external_access": False})


def extract_statements(text: str) -> list[Statement]:
    return parser().extract_statements(text)
