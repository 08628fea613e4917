"""What files are called, and what is done with names and numbers that a user gave."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.parameters import GREATEST_INTEGER
from evalsql.errors import Problem, UsageError

if TYPE_CHECKING:
    from evalsql.ingest.files.source import Source
    from evalsql.ingest.files.sources import InputFiles


def paths(files: str | Path | Iterable[str | Path]) -> list[str | Path]:
    """One path or several as a list."""
    is_one = isinstance(files, str | Path) or not isinstance(files, Iterable)
    listed: list[str | Path] = [files] if is_one else list(files)  # type: ignore[list-item, arg-type]
    if not all(isinstance(file, str | Path) for file in listed):
        raise UsageError(f"expected paths or globs of files, found {files!r}")
    return listed


def checked_depth(depth: object) -> int | None:
    """Raises UsageError for what is no number of documents."""
    if depth is None:
        return None
    try:
        number = operator.index(depth)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if isinstance(depth, bool) or not 1 <= number <= GREATEST_INTEGER:
        raise UsageError(f"depth is {depth!r}, it must be a whole number from 1 to {GREATEST_INTEGER}")
    return number


def by_name(
    opened: InputFiles, name: str | None, stdin_name: str | None = None
) -> tuple[dict[str, list[Source]], list[Problem]]:
    """Files by the name that is given for all of them or that each has by its stem, and what is wrong with others."""
    from evalsql.ingest.files.sources import stem

    files: dict[str, list[Source]] = {}
    problems = list(opened.problems)
    for source in opened.sources:
        own = stem(source.label) if name is None else name
        own = checked_name(stdin_name if own == "-" and stdin_name else own)
        if own in files and name is None:
            first = files[own][0].label
            problems.append(Problem(source.label, 0, f"run {own} comes from {first} as well; name one of them"))
        files.setdefault(own, []).append(source)
    return files, problems


def checked_name(name: str) -> str:
    """The name; raises UsageError for none."""
    if name in ("", "-"):
        raise UsageError("a name is needed; data from standard input has none of its own")
    return name
