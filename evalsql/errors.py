"""What can go wrong, each kind with the exit code the command line ends with."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_LISTED = 20
# The parts of a reason that differ between problems of one cause.
_VARYING = re.compile(r'"[^"]*"|(?<=document )\S+|(?<=topic )\S+|(?<=group )\S+|\d[\d.,]*')
USE_REPLACE = "--replace, in Python replace=True, loads anew"
_KEEP_BEST = "--keep-best, in Python keep_best=True, keeps the best of several rows for a document"
_SWAPPED = "a line of six columns is one of a run; judgments come before runs"
_JUDGED = "lines of four columns are judgments, which evalsql load qrels takes"
_HINTS = {
    r": 6 columns, expected 4: topic iteration document grade": _SWAPPED,
    r":1: 4 columns, expected 5 or 6: topic": _JUDGED,
    r"document \S+ of topic \S+ (already stands at|stands more than once|is already judged)": _KEEP_BEST,
}


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


class TooSlowError(EvalsqlError):
    """A measure took too long that a command evaluates beside what it is asked for."""


class WarehouseError(EvalsqlError):
    """A database file that cannot be opened, is locked, or was made by a newer version."""

    exit_code = 3


class AuditError(EvalsqlError):
    """What a warehouse or an export holds does not fit together."""

    exit_code = 1


class InputWarning(UserWarning):
    """Something odd in an input that was taken as it stands; the message names file and line."""


def warn(told: str | Problem) -> None:
    """Give an InputWarning that names the caller's own line, not one of this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in ("evalsql", "contextlib"):
        frame, level = frame.f_back, level + 1
    warnings.warn(str(told), InputWarning, stacklevel=level)


class Problem(NamedTuple):
    """One thing wrong with an input: where, and why. ``line`` counts from 1; 0 is the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


@dataclass
class ProblemList:
    """Problems found so far: the first ones and the first of each cause are kept, all are counted.

    A cause is a file and a reason without its documents, topics and numbers. ``causes`` has by cause the first problem
    and how many there are, as far as a message has place for them.
    """

    listed: list[Problem] = field(default_factory=list)
    count: int = 0
    causes: dict[tuple[str, str], tuple[Problem, int]] = field(default_factory=dict)

    def add(self, problem: Problem) -> None:
        """Count a problem, and keep it if it is one of the first."""
        self.count += 1
        self._add_cause(problem, 1)
        if len(self.listed) < MOST_LISTED:
            self.listed.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    def take(self, error: InputError) -> None:
        self.listed += error.problems[: MOST_LISTED - len(self.listed)]
        self.count += error.count
        for problem, count in error.found.causes.values():
            self._add_cause(problem, count)

    def _add_cause(self, problem: Problem, count: int) -> None:
        cause = (problem.file, _VARYING.sub("*", problem.reason))
        first, before = self.causes.get(cause, (problem, 0))
        if before or len(self.causes) < MOST_LISTED:
            self.causes[cause] = first, before + count

    def __bool__(self) -> bool:
        return self.count > 0

    def check(self) -> None:
        if self:
            raise InputError(self)

    def cause_lines(self) -> list[str]:
        """A line for each cause: its first problem, and how many more there are."""
        return [
            f"{problem}, and {count - 1:,} more like it" if count > 1 else str(problem)
            for problem, count in self.causes.values()
        ]


class InputError(EvalsqlError):
    """Input that was refused; nothing of it was kept.

    ``problems`` holds the first ones found, ``count`` says how many there are.
    """

    def __init__(self, problems: Iterable[Problem] | ProblemList, count: int | None = None) -> None:
        self.found = problems if isinstance(problems, ProblemList) else ProblemList()
        for problem in () if isinstance(problems, ProblemList) else problems:
            self.found.add(problem)
        self.found.count = count or self.found.count
        self.problems: Sequence[Problem] = tuple(self.found.listed)
        self.count = self.found.count
        super().__init__(self._message())

    def __reduce__(self) -> tuple[type[InputError], tuple[ProblemList]]:
        return InputError, (self.found,)

    def _message(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.count > len(lines):
            lines = self.found.cause_lines()
            hidden = self.count - sum(count for _, count in self.found.causes.values())
            others = f", {hidden:,} of them of other causes" if hidden else ""
            lines.append(f"{self.count:,} problems in all{others}")
        text = "\n".join(lines)
        hints = dict.fromkeys(hint for words, hint in _HINTS.items() if re.search(words, text))
        return "\n".join([*lines, "nothing was loaded", *hints])


def input_error(file: object, reason: str, line: int = 0) -> InputError:
    """The error of one thing that is wrong with an input."""
    return InputError([Problem(str(file), line, reason)])
