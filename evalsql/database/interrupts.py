"""Ctrl-C while the engine works.

Python's own handler raises KeyboardInterrupt inside the engine, which then takes down the query without telling its
other threads to stop, and waits for them: as long as the query would have taken.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


@contextmanager
def interruptible(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Around a query: Ctrl-C asks the engine to stop, and is KeyboardInterrupt when it has.

    Nothing is changed in other threads, or where a program handles the signal itself.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    heard = False

    def hear(*_: object) -> None:
        nonlocal heard
        heard = True
        connection.interrupt()

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if heard:
            raise KeyboardInterrupt
