"""``python -m evalsql`` is the command ``evalsql``."""

from __future__ import annotations

import gc
import os
import sys

_SOON = 0.01  # seconds after which the callback is left


def run() -> None:
    """Run the command line and end the process at once.

    Everything is closed by then, and an orderly end, which unloads the engine, takes as long as a query. If the
    output cannot be flushed, the orderly end reports it.
    """
    gc.set_threshold(20_000)  # looking for cycles while modules are imported takes 10 ms
    try:
        _run()
    except SystemExit as ended:
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except OSError:
            raise ended from None
        if isinstance(ended.code, int):
            os._exit(ended.code)
        raise


def _run() -> None:
    """Run the command line; once it is done, Ctrl-C is ignored."""
    sys.unraisablehook = _unraised
    try:
        try:
            from evalsql.cli import main

            main()
        finally:
            from evalsql.database.engine import at_end, ignore_from_now_on

            ignore_from_now_on()
            at_end.close()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if _came_of_an_interrupt(error):
            sys.exit(130)
        raise


def _came_of_an_interrupt(error: BaseException | None) -> bool:
    """Whether an error is what became of a Ctrl-C: in an import, which each command has, it can end as any other."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _unraised(dropped: sys.UnraisableHookArgs) -> None:
    """Repeat a Ctrl-C that came where Python raises nothing, as in the callbacks of imports; print other errors."""
    if dropped.exc_type is KeyboardInterrupt:
        import _thread
        import threading

        threading.Timer(_SOON, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(dropped)


if __name__ == "__main__":
    run()
