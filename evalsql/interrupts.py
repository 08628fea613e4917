"""Ctrl-C while the engine works.

Python tells of a signal only between its own instructions, and the engine, asked to run a query, comes back to them
now and then - not while another of its threads has all of the work. So a thread waits for the signal's number, which
the system's handler writes down at once, and asks the engine to stop; then Python raises KeyboardInterrupt.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb  # else the thread, which ends with the process, would hold the engine's module until then

_AGAIN = 0.1  # seconds; a query that was about to start does not hear the first call
_running: duckdb.DuckDBPyConnection | None = None
_turn = 0  # which query it is
_writing: socket.socket | None = None


@contextmanager
def heeded(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Around a query: Ctrl-C stops it at once. Nothing is changed in other threads, or where signals are waited for."""
    global _running, _turn
    if _running is not None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.set_wakeup_fd(_fileno(), warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        yield
        return
    _running = connection
    _turn += 1
    try:
        yield
    finally:
        _running = None
        signal.set_wakeup_fd(-1)


def _fileno() -> int:
    global _writing
    if _writing is None:
        reading, _writing = socket.socketpair()
        _writing.setblocking(False)
        threading.Thread(target=_watch, args=(reading,), daemon=True).start()
    return _writing.fileno()


def _watch(reading: socket.socket) -> None:
    while numbers := reading.recv(1):
        if numbers[0] == signal.SIGINT:
            _stop()


def _stop() -> None:
    turn = _turn
    while turn == _turn and (running := _running) is not None:
        running.interrupt()
        del running  # what this thread holds, the end of the process does not close
        time.sleep(_AGAIN)
