"""The names of runs and judgment sets: given by the user, or taken from their files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalsql.errors import Problem, UsageError

if TYPE_CHECKING:
    from evalsql.ingest.files.paths import InputFiles
    from evalsql.ingest.files.source import Source


def by_name(
    opened: InputFiles, name: str | None, stdin_name: str | None = None
) -> tuple[dict[str, list[Source]], list[Problem]]:
    """Files by name, and problems of files that cannot be loaded.

    Args:
        name: one for all files; by default each has its stem.
        stdin_name: for standard input, which has no stem.
    """
    from evalsql.ingest.files.paths import stem

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
    """The name; raises UsageError where it is empty, or the - of standard input."""
    if name in ("", "-"):
        raise UsageError("a name is needed; data from standard input has none of its own")
    return name
