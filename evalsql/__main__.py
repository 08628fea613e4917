"""``python -m evalsql`` is the command ``evalsql``."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Run the command line and end the process at once.

    Everything is closed by then, and an orderly end, which unloads the engine, takes as long as a query. If the
    output cannot be flushed, the orderly end reports it.
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
    """Run the command line; once it is done, Ctrl-C is ignored."""
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
