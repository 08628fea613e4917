"""Ctrl-C while the engine works, and where it must wait.

Python's own handler raises KeyboardInterrupt inside the engine, which then takes down the query without telling its
other threads to stop, and waits for them: as long as the query would have taken.
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


@contextmanager
def interruptible(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Around a query: Ctrl-C asks the engine to stop, and is KeyboardInterrupt when it has.

    Nothing is changed in other threads, or where a program handles the signal itself.
    """
    with _heard(connection.interrupt):
        yield


@contextmanager
def held_back(words: str = "") -> Iterator[None]:
    """Around what is not to be cut in half: Ctrl-C is KeyboardInterrupt, with these words, when it is done."""
    with _heard(lambda: None, words):
        yield


def ignore_from_now_on() -> None:
    """Let Ctrl-C do nothing more in this process; one that is held back is forgotten."""
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
