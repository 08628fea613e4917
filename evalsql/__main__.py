"""``python -m evalsql`` is the command ``evalsql``."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Run the command line and leave at once: by then all is closed, and to unload the engine takes as long as a query.

    Where what was written cannot be flushed, Python ends as it does, and says so.
    """
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
    """Run the command line; from its end on Ctrl-C does nothing more."""
    try:
        try:
            from evalsql.cli import main

            main()
        finally:
            from evalsql.database.interrupts import ignore_from_now_on

            ignore_from_now_on()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
