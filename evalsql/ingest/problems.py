"""Collects what is wrong with an input, so that all of it is told at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from evalsql.errors import MOST_LISTED, Causes, InputError, Problem


@dataclass
class ProblemList:
    """Problems found so far: the first ones are kept, all are counted."""

    listed: list[Problem] = field(default_factory=list)
    count: int = 0
    causes: Causes = field(default_factory=Causes)

    def add(self, problem: Problem) -> None:
        """Count a problem, and keep it if it is one of the first."""
        self.count += 1
        self.causes.add(problem)
        if len(self.listed) < MOST_LISTED:
            self.listed.append(problem)

    def take(self, error: InputError) -> None:
        """Take over the problems of an error."""
        self.listed += error.problems[: MOST_LISTED - len(self.listed)]
        self.count += error.count
        self.causes.take(error.causes)

    def __bool__(self) -> bool:
        return self.count > 0

    def check(self) -> None:
        """Raise InputError if there are any."""
        if self:
            raise self.error

    @property
    def error(self) -> InputError:
        """All of them, as an error."""
        return InputError(self.listed, self.count, self.causes)
