"""The three answers at the top of the page, for the measure, baseline and system that it opens with.

The page's script (``answers.js``) says the same of any other choice; a test holds the two to the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalsql.report.doubts import is_about_judgments
from evalsql.report.evidence import Evidence
from evalsql.report.figures import in_words, listed, number, signed
from evalsql.report.overview import Overview

_MOST_NAMED = 3  # of systems that have the best mean together


class Row(NamedTuple):
    """A system beside another; ``wide`` is half the interval at its step of Holm's procedure."""

    difference: float
    half: float | None
    wide: float | None
    is_sure: bool
    wins: int
    ties: int
    losses: int

    @property
    def low(self) -> float | None:
        return None if self.half is None else self.difference - self.half

    @property
    def high(self) -> float | None:
        return None if self.half is None else self.difference + self.half


class Standing(NamedTuple):
    """Question, answer in a word, and a sentence; and each system beside the baseline."""

    answers: Sequence[tuple[str, str, str]]
    rows: Mapping[str, Row]


def beside(evidence: Evidence, measure: str, baseline: str, run: str) -> Row | None:
    """One system beside another by one measure."""
    pairs, steps = evidence.tests.pairs.get(measure, {}), evidence.tests.steps.get(measure, {})
    if (baseline, run) in pairs:
        topics, difference, half, _, wins, ties, losses = pairs[baseline, run]
    elif (run, baseline) in pairs:
        topics, difference, half, _, losses, ties, wins = pairs[run, baseline]
        difference = -difference
    else:
        return None
    left = steps[baseline, run]
    factor = evidence.tests.factors.get(topics, {}).get(abs(left))
    wide = None if half is None or factor is None else half * factor
    return Row(difference, half, wide, left > 0, wins, ties, losses)


def standing(overview: Overview, evidence: Evidence, digits: int) -> Standing:
    """The answers for the best system by the first measure."""
    name, runs, baseline = overview.names[0], overview.runs, overview.baseline
    rows = {run: row for run in runs if (row := beside(evidence, name, baseline, run))}
    best = runs[0]
    mean = f"{name} {number(overview.board.rows[0][1], digits)}"  # type: ignore[arg-type]
    if len(runs) == 1:
        alone = ("By how much?", "\u2013", "There is no other system to compare it with.")
        return Standing([("Who wins?", best, f"{mean}, the only system."), alone, ("Is it sure?", "\u2013", "")], rows)
    leaders = [str(run) for run, top, *_ in overview.board.rows if top == overview.board.rows[0][1]]
    if len(leaders) > 1:
        winner, first = "A tie", f"{mean}, shared by {_tied(leaders, len(runs))}"
    else:
        also = _also_first(overview)
        winner, first = best, f"{mean}, first of {len(runs)}" + (f"; also first by {listed(also)}." if also else ".")
    over_next = beside(evidence, name, runs[1], best)
    gap = signed(over_next.difference, digits) if over_next else ""
    row, base = rows.get(best), number(overview.board.rows[runs.index(baseline)][1], digits)  # type: ignore[arg-type]
    if row is None:
        row, big = over_next, gap
        text = f"over the next, {runs[1]}; it is the baseline itself."
    else:
        big = signed(row.difference, digits)
        text = f"over the baseline {baseline} ({base})" + ("." if len(runs) < 3 else f", and {gap} over the next.")
    alike = sum(not other.is_sure for run in runs[1:] if (other := beside(evidence, name, best, run)))
    sure = _sure(row, alike, digits, is_baseline=best == baseline, only_two=len(runs) == 2, tests=len(runs) - 1)
    return Standing([("Who wins?", winner, first), ("By how much?", big, text), ("Is it sure?", *sure)], rows)


def _tied(leaders: Sequence[str], num_runs: int) -> str:
    """Who has the best mean together, and of how many."""
    more = len(leaders) - _MOST_NAMED
    named = leaders if more < 2 else [*leaders[:_MOST_NAMED], f"{in_words(more)} others"]
    return f"{listed(named)}, of {num_runs} systems."


def _also_first(overview: Overview) -> list[str]:
    """Other measures that the best system leads alone."""
    best, found = overview.runs[0], []
    for at, name in enumerate(overview.names[1:], start=2):
        choose = min if name in overview.lower else max
        top = choose(row[at] for row in overview.board.rows)  # type: ignore[type-var]
        leaders = [row[0] for row in overview.board.rows if row[at] == top]
        if leaders == [best] and not is_about_judgments(name):
            found.append(name)
    return found


def _sure(
    row: Row | None, alike: int, digits: int, *, is_baseline: bool, only_two: bool, tests: int
) -> tuple[str, str]:
    if row is None or row.half is None or row.wide is None:
        return "It cannot be told", "One topic has no interval."
    other = "the next" if is_baseline else "the baseline"
    big = f"Yes, over {other}" if row.is_sure else f"No, not even over {other}"
    text = f"95% interval {signed(row.difference - row.half, digits)} to {signed(row.difference + row.half, digits)}"
    if not row.is_sure and abs(row.difference) > row.half:
        low, high = (signed(row.difference + side * row.wide, digits) for side in (-1, 1))
        text += f", which {tests} comparisons widen to {low} to {high}"
    if only_two:
        return big, f"{text}."
    if not alike:
        return big, f"{text}. Its first place is sure too."
    others = "one other" if alike == 1 else f"{in_words(alike)} others"
    if row.is_sure:
        return big, f"{text}. Its first place is not sure: {others} cannot be told apart from it."
    return big, f"{text}. {others[:1].upper()}{others[1:]} cannot be told apart from it."
