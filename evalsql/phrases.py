"""Numbers and lists of names in messages, their order, lists of words in files, and reports of progress."""

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

PUT_TOGETHER = "cat FILES | evalsql load ... - takes several as one"
_DIGITS = re.compile("([0-9]+)")


def counted(count: int, what: str, several: str = "") -> str:
    """A number and its noun, as in "1 run" and "2 runs"; ``several`` is the plural where it is more than an s."""
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"


def shortened(names: Sequence[str], most: int = 5) -> str:
    """The first names of a list, then dots if there are more."""
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first names of a list, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def listed(words: Sequence[str], last: str = "and") -> str:
    """The words in a sentence: "a", "a and b", "a, b and c"."""
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def nearest(name: str, known: Collection[str]) -> str:
    """In words, the names that are most like one that is not known, or the first of all; empty if there are none."""
    near = difflib.get_close_matches(name, known, n=3)
    if near and len(near) < len(known):
        return f"nearest: {', '.join(near)}"
    return f"there are: {shortened(sorted(known))}" if known else ""


def natural_key(name: str) -> list[tuple[str, int, str]]:
    """A key to sort names by their words and numbers, so that topic 2 comes before topic 10."""
    parts = [*_DIGITS.split(name), ""]
    numbers = (part.lstrip("0") for part in parts[1::2])
    return [(word, len(number), number) for word, number in zip(parts[::2], numbers, strict=True)]


def read_cells(path: Path) -> list[list[str]]:
    """The cells of each line of a table of the package, tabs being between them; # begins a comment."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


Progress = Callable[[str, int, int], None]  # the stage in words, how much of it is done, how much there is in all


def silent(stage: str, done: int, total: int) -> None:
    """Report to nobody."""
