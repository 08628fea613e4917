"""The function that long work calls to report its progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # the stage in words, how much of it is done, how much there is in all


def silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""
