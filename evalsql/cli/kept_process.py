"""A process that another one follows where it dies, until it is told to stop."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from threading import Event, Thread

from evalsql.errors import EvalsqlError, WarehouseError

_SPAWN = multiprocessing.get_context("spawn")
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_MOST = 3  # processes in a row that die before they serve; no client can add to them
_SERVES = "serves"
Serve = Callable[[Event, Callable[[], None]], None]


def keep(path: str, serve: Serve, log: Callable[[str], None]) -> None:
    """Call ``serve(stop, begun)`` in a process of its own, and in another one where that dies; raise what it raises.

    SIGTERM and Ctrl-C set ``stop``; ``serve`` calls ``begun`` once it answers.
    """
    os.environ["PYTHONSAFEPATH"] = "1"  # else a new process would take Python's modules from the current folder first
    is_told, num_failed = Event(), 0
    while True:
        here, there = _SPAWN.Pipe()
        for number in _SIGNALS:
            signal.signal(number, partial(_stop, here, is_told))
        process = _SPAWN.Process(target=_serve, args=(there, serve))
        process.start()
        there.close()
        if is_told.is_set():  # the one before died as it stopped; this one writes everything into the file
            _stop(here, is_told)
        num_failed += 1
        with suppress(EOFError, OSError):
            while (outcome := here.recv()) == _SERVES:
                num_failed = 0
            process.join()
            if outcome is not None:
                raise outcome
            return
        process.join()
        died = f"the process that serves it has died ({_reason(process.exitcode)})"
        if num_failed == _MOST:
            raise WarehouseError(f"{path}: {died}, and so did {_MOST - 1} before it, before they served anybody")
        log(f"{path}: {died}; another one starts")


def _stop(process: Connection, is_told: Event, *_: object) -> None:
    is_told.set()
    with suppress(OSError):
        process.send(None)


def _reason(code: int | None) -> str:
    with suppress(ValueError):
        return signal.Signals(-(code or 0)).name
    return f"exit code {code}"


def _serve(parent: Connection, serve: Serve) -> None:
    stop = Event()
    for number in _SIGNALS:  # a terminal sends Ctrl-C to both
        signal.signal(number, lambda *_: stop.set())
    Thread(target=_listen, args=(parent, stop), daemon=True).start()
    try:
        serve(stop, lambda: parent.send(_SERVES))
        parent.send(None)
    except EvalsqlError as error:
        parent.send(error)
    os._exit(0)  # statements may compute on


def _listen(parent: Connection, stop: Event) -> None:
    with suppress(EOFError, OSError):
        while True:
            parent.recv()
            stop.set()
    os._exit(WarehouseError.exit_code)  # the other process was killed, and so is this one
