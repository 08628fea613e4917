"""``python -m evalsql`` is the command ``evalsql``."""

from __future__ import annotations

import os
import sys

from evalsql.cli import main


def run() -> None:
    """Run the command line and leave at once: by then all is closed, and to unload the engine takes as long as a query.

    Where what was written cannot be flushed, Python ends as it does, and says so.
    """
    try:
        main()
    except SystemExit as ended:
        try:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
        except OSError:
            raise ended from None
        if isinstance(ended.code, int):
            os._exit(ended.code)
        raise


if __name__ == "__main__":
    run()
