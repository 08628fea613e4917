"""The three answers at the top of the page, for the measure, baseline and system that it opens with.

The page's script (``answers.js``) says the same of any other choice; a test holds the two to the same words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalsql.phrases import counted, natural_key
from evalsql.report.page.caveats import is_about_judgments
from evalsql.report.page.figures import in_words, listed, number, signed
from evalsql.report.page.page_queries import Evidence
from evalsql.report.page.report_data import ReportData

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


def standing(report: ReportData, evidence: Evidence, digits: int) -> Standing:
    """The answers for the best system by the first measure."""
    name, runs, baseline = report.names[0], report.runs, report.baseline
    rows = {run: row for run in runs if (row := beside(evidence, name, baseline, run))}
    best = runs[0]
    mean = f"{name} {number(report.board.rows[0][1], digits)}"  # type: ignore[arg-type]
    if len(runs) == 1:
        alone = ("By how much?", "\u2013", "There is no other system to compare it with.")
        return Standing([("Who wins?", best, f"{mean}, the only system."), alone, ("Is it sure?", "\u2013", "")], rows)
    leaders = [str(run) for run, top, *_ in report.board.rows if top == report.board.rows[0][1]]
    if len(leaders) > 1:
        winner, first = "A tie", f"{mean}, shared by {_tied(leaders, len(runs))}"
    else:
        also = _also_first(report)
        winner, first = best, f"{mean}, first of {len(runs)}" + (f"; also first by {listed(also)}." if also else ".")
    over_next = beside(evidence, name, runs[1], best)
    gap = signed(over_next.difference, digits) if over_next else ""
    row, base = rows.get(best), number(report.board.rows[runs.index(baseline)][1], digits)  # type: ignore[arg-type]
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


def _also_first(report: ReportData) -> list[str]:
    """Other measures that the best system leads alone."""
    best, found = report.runs[0], []
    for at, name in enumerate(report.names[1:], start=2):
        choose = min if name in report.lower else max
        top = choose(row[at] for row in report.board.rows)  # type: ignore[type-var]
        leaders = [row[0] for row in report.board.rows if row[at] == top]
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


_SAME = 12  # decimals to which two values are the same, as in the relation differences
_MOST_LOST_NAMED = 3
_MOST_TIES_NAMED = 5


class TopicRow(NamedTuple):
    """Two systems on a topic; ``difference`` is 0 for a tie, ``worth`` the same but negative where the first loses."""

    topic: str
    ours: float
    theirs: float
    difference: float
    worth: float

    @property
    def outcome(self) -> str:
        return "lost" if self.worth < 0 else "won" if self.worth > 0 else "tied"


def topic_rows(report: ReportData) -> list[TopicRow]:
    """The topics that the best system and the baseline have a value for, the worst first."""
    name, system, baseline = report.names[0], report.runs[0], report.baseline
    values: dict[Any, Any] = {
        (run, topic): value for held, run, topic, value in report.tables["values"].rows if held == name
    }
    rows = []
    for topic in report.topics:
        ours, theirs = values.get((system, topic)), values.get((baseline, topic))
        if ours is not None and theirs is not None:
            difference = ours - theirs if round(ours - theirs, _SAME) else 0.0
            rows.append(TopicRow(topic, ours, theirs, difference, -difference if name in report.lower else difference))
    return sorted(rows, key=lambda row: (row.worth, natural_key(row.topic)))


def cells(row: TopicRow, digits: int) -> tuple[str, ...]:
    """The row as text."""
    return (
        row.topic,
        number(row.ours, digits),
        number(row.theirs, digits),
        difference_text(row.difference, digits),
        row.outcome,
    )


def difference_text(difference: float, digits: int) -> str:
    """With more decimals where a difference would be shown as none."""
    while difference and digits < _SAME and not float(f"{difference:.{digits}f}"):
        digits += 1
    return signed(difference, digits)


def sentence(report: ReportData, rows: Sequence[TopicRow], texts: Mapping[str, str]) -> str:
    """On how many topics it loses and ties, and which of them."""
    system, baseline = report.runs[0], report.baseline
    if len(report.runs) == 1:
        return "There is no other system to compare it with."
    if system == baseline:
        return f"{system} is the baseline itself."
    names = {row.topic: f"{row.topic} ({texts[row.topic]})" if texts.get(row.topic) else row.topic for row in rows}
    lost, tied = ([names[row.topic] for row in rows if row.outcome == outcome] for outcome in ("lost", "tied"))
    told = f"{system} loses to {baseline} on {f'{len(lost):,}' if lost else 'none'} of {counted(len(rows), 'topic')}"
    if lost:
        told += f", {'most ' if len(lost) > 1 else ''}on {listed(lost[:_MOST_LOST_NAMED])}"
    if not tied:
        return f"{told}."
    named = f": {listed(tied)}" if len(tied) <= _MOST_TIES_NAMED else ""
    return f"{told}. It ties on {counted(len(tied), 'topic')}{named}."
