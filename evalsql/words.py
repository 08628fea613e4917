"""Small words in messages."""

from __future__ import annotations


def counted(count: int, what: str) -> str:
    """A number with what it counts, in the plural where it must be."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")
