"""What came out, as a table and as a section of the README."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

_COLUMNS = ("benchmark", "work", "evalsql", "peer", "ratio", "goal", "met", "compared with")


@dataclass(frozen=True)
class Measured:
    """The figures of all repeats: seconds or bytes; with the processes' own seconds and most memory where known."""

    values: Sequence[float]
    user: Sequence[float] = ()
    peak: int | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def of_processor(self) -> Measured:
        return Measured(self.user, self.user, self.peak)


@dataclass(frozen=True)
class Goal:
    """``faster``: so many times faster than the peer. ``at most`` or ``below``: that part of the peer's figure."""

    direction: Literal["faster", "at most", "below"]
    ratio: float

    def met(self, ratio: float) -> bool:
        if self.direction == "faster":
            return ratio >= self.ratio
        return ratio <= self.ratio if self.direction == "at most" else ratio < self.ratio

    def __str__(self) -> str:
        return f"{self.ratio:g} x faster" if self.direction == "faster" else f"{self.direction} {self.ratio:g}"


@dataclass(frozen=True)
class Result:
    """One line: a work, its figure, the peer's, and the goal if there is one. A side not measured is told by note."""

    benchmark: str
    work: str
    here: Measured | None
    peer: str
    there: Measured | None
    goal: Goal | None = None
    unit: Literal["s", "MB"] = "s"
    note: str = ""
    failed: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times faster, or, by a goal that says at most or below, which part of the peer's figure."""
        if self.here is None or self.there is None:
            return None
        here, there = self.here.median, self.there.median
        faster = self.goal is None or self.goal.direction == "faster"
        return there / here if faster else here / there

    @property
    def met(self) -> bool | None:
        return None if self.ratio is None or self.goal is None else self.goal.met(self.ratio)

    def cells(self) -> list[str]:
        return [
            self.benchmark,
            self.work,
            *(_shown(side, self.unit) for side in (self.here, self.there)),
            "-" if self.ratio is None else f"{self.ratio:.2f}" if self.ratio < 20 else f"{self.ratio:.0f}",
            str(self.goal or ""),
            {True: "yes", False: "no", None: ""}[self.met],
            "; ".join(filter(None, (self.peer, self.note))),
        ]


def _shown(side: Measured | None, unit: str) -> str:
    if side is None:
        return "-"
    return f"{side.median / 1e6:.1f} MB" if unit == "MB" else f"{side.median:.3f} s"


def within(benchmark: str, work: str, here: Measured, most: float, unit: Literal["s", "MB"] = "s") -> Result:
    """A line whose goal is a figure, not a peer's."""
    return Result(benchmark, work, here, "the goal", Measured([most]), Goal("at most", 1), unit)


def plain(results: Iterable[Result]) -> str:
    rows = [list(_COLUMNS), *(result.cells() for result in results)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shape = "  ".join(f"{{:{'>' if 2 <= at <= 4 else '<'}{width}}}" for at, width in enumerate(widths))
    return "".join(shape.format(*row).rstrip() + "\n" for row in rows)


def section(results: Iterable[Result], command: str, heading: str) -> str:
    """What stands in the README between the markers."""
    rule = "|---|---|--:|--:|--:|---|---|---|"
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in result.cells()) + " |" for result in results]
    table = "\n".join(["| " + " | ".join(_COLUMNS) + " |", rule, *rows])
    lines = "\n".join(f"- {line}" for line in heading.splitlines())
    return f"```\n{command}\n```\n\n{lines}\n\n{table}\n"
