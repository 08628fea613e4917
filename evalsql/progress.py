"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # what is done, how much of it is done, how much there is


def silent(stage: str, done: int, total: int) -> None:
    """Progress nobody looks at."""
