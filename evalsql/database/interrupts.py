"""Ctrl-C while the engine works, and where it must wait.

Python's own handler raises KeyboardInterrupt inside the engine. The engine then waits for its other threads without
telling them to stop, for as long as the query would have taken.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_AGAIN = 0.05  # seconds between two tellings


@contextmanager
def interruptible(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C stop the query that runs inside; KeyboardInterrupt is raised once the engine has stopped.

    Does nothing in other threads than the main one, or where a program handles the signal itself.
    """
    over = threading.Event()
    telling: list[threading.Thread] = []

    def tell() -> None:
        # The engine forgets what it is told before its query begins, so it is told again.
        pause = 0.0
        while not over.wait(pause):
            connection.interrupt()
            pause = _AGAIN

    def react() -> None:
        if not telling:
            telling.append(threading.Thread(target=tell, daemon=True))
            telling[0].start()

    with _heard(react):
        try:
            yield
        finally:
            over.set()
            for thread in telling:
                thread.join()


@contextmanager
def held_back(words: str = "") -> Iterator[None]:
    """Delay Ctrl-C until what runs inside is done; then KeyboardInterrupt is raised with these words."""
    with _heard(lambda: None, words):
        yield


def ignore_from_now_on() -> None:
    """Ignore Ctrl-C for the rest of this process, also one that is being held back."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _heard(react: Callable[[], None], words: str = "") -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    heard = False

    def hear(_: int, __: FrameType | None) -> None:
        nonlocal heard
        heard = True
        react()

    try:
        signal.signal(signal.SIGINT, hear)
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is hear:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            if heard:
                raise KeyboardInterrupt(words)
