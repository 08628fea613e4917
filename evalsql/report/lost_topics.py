"""Where the best system loses, ties and wins, as the page tells it without its script (``topics.js`` says the same)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evalsql.phrases import counted, natural_key
from evalsql.report.figures import listed, number, signed
from evalsql.report.overview import Overview

_SAME = 12  # decimals to which two values are the same, as in the relation differences
_MOST_NAMED = 3
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


def topic_rows(overview: Overview) -> list[TopicRow]:
    """The topics that the best system and the baseline have a value for, the worst first."""
    name, system, baseline = overview.names[0], overview.runs[0], overview.baseline
    values: dict[Any, Any] = {
        (run, topic): value for held, run, topic, value in overview.tables["values"].rows if held == name
    }
    rows = []
    for topic in overview.topics:
        ours, theirs = values.get((system, topic)), values.get((baseline, topic))
        if ours is not None and theirs is not None:
            difference = ours - theirs if round(ours - theirs, _SAME) else 0.0
            rows.append(
                TopicRow(topic, ours, theirs, difference, -difference if name in overview.lower else difference)
            )
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


def sentence(overview: Overview, rows: Sequence[TopicRow], texts: Mapping[str, str]) -> str:
    """On how many topics it loses and ties, and which of them."""
    system, baseline = overview.runs[0], overview.baseline
    if len(overview.runs) == 1:
        return "There is no other system to compare it with."
    if system == baseline:
        return f"{system} is the baseline itself."
    names = {row.topic: f"{row.topic} ({texts[row.topic]})" if texts.get(row.topic) else row.topic for row in rows}
    lost, tied = ([names[row.topic] for row in rows if row.outcome == outcome] for outcome in ("lost", "tied"))
    told = f"{system} loses to {baseline} on {f'{len(lost):,}' if lost else 'none'} of {counted(len(rows), 'topic')}"
    if lost:
        told += f", {'most ' if len(lost) > 1 else ''}on {listed(lost[:_MOST_NAMED])}"
    if not tied:
        return f"{told}."
    named = f": {listed(tied)}" if len(tied) <= _MOST_TIES_NAMED else ""
    return f"{told}. It ties on {counted(len(tied), 'topic')}{named}."
