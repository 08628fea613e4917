"""Progress on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from evalsql.progress import Progress

_PATIENCE = 0.3  # seconds


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A function to report progress to: (stage, done, total). A bar on a terminal, nothing elsewhere.

    The bar appears when work has taken a while, so that what is short waits neither for it nor for its imports.
    """
    if not sys.stderr.isatty():
        yield lambda stage, done, total: None
        return
    with ExitStack() as stack:
        started = time.monotonic()
        bars: list[Progress] = []

        def show(stage: str, done: int, total: int) -> None:
            if not bars and time.monotonic() - started > _PATIENCE:
                from evalsql.cli.rich_bars import bars_on_terminal

                bars.append(stack.enter_context(bars_on_terminal()))
            for bar in bars:
                bar(stage, done, total)

        yield show
