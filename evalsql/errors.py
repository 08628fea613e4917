"""What can go wrong, each kind with the exit code the command line ends with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_LISTED = 20


class EvalsqlError(Exception):
    """Base of every error a user can cause; ``exit_code`` is what the command line returns."""

    exit_code = 2


class UsageError(EvalsqlError):
    """A name or option that does not fit: an unknown measure, run or judgment set."""


class CatalogError(EvalsqlError):
    """A relation file that cannot be used; the message names file and line."""


class QueryError(EvalsqlError):
    """The engine refused or failed a statement; the message carries its words."""


class ReachError(QueryError):
    """A statement would have reached another file while the engine is shut in."""


class WarehouseError(EvalsqlError):
    """A database file that cannot be opened, is locked, or was made by a newer version."""

    exit_code = 3


class AuditError(EvalsqlError):
    """What was stored is not sound: a fault of this program, not of the input."""

    exit_code = 1


class InputWarning(UserWarning):
    """Something odd in an input that was taken as it stands; the message names file and line."""


class Problem(NamedTuple):
    """One thing wrong with an input: where, and why. ``line`` counts from 1; 0 is the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


class InputError(EvalsqlError):
    """Input that was refused; nothing of it was kept.

    ``problems`` holds the first ones found, ``count`` says how many there are.
    """

    def __init__(self, problems: Iterable[Problem], count: int | None = None) -> None:
        found = tuple(problems)
        self.count = len(found) if count is None else count
        self.problems: Sequence[Problem] = found[:MOST_LISTED]
        super().__init__(self._message())

    def __reduce__(self) -> tuple[type[InputError], tuple[Sequence[Problem], int]]:
        return InputError, (self.problems, self.count)

    def _message(self) -> str:
        lines = [str(problem) for problem in self.problems]
        hidden = self.count - len(lines)
        if hidden:
            lines.append(f"... and {hidden} more, {self.count} problems in all")
        return "\n".join([*lines, "nothing was loaded"])
