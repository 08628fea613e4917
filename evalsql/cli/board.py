"""The leaderboard as a terminal shows it: a bar for each system's mean, and a mark for each topic."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure
from evalsql.database.names import Names
from evalsql.report import terminal
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

_FIRST = 2  # the column of the first measure
_BY_TOPIC = "by topic"
_FEWEST = 10  # marks
_GAP = 2


def add_bars(
    warehouse: Warehouse, table: Table, measure: Measure, qrels: Names, runs: Names, digits: int
) -> tuple[Table, list[str]]:
    """The table with the best in colour and the bars and marks there is room for, and what is to be said of it."""
    table = table._replace(hues={(nth, table.columns[at]): "best" for nth, at in table.bold}, bold=frozenset())
    cells = terminal.width()
    widths = terminal.natural_widths(table, digits)
    sets = {row[0] for row in table.rows}
    lacking: list[str] = []
    decorated = terminal.shows_blocks(sys.stdout) and bool(table.rows)
    wanted = terminal.BAR + _GAP + _FEWEST + _GAP if decorated else 0
    has_qrels = True
    if terminal.total(widths) + wanted > cells and len(sets) == 1:
        lacking.append(f"qrels ({next(iter(sets))} in every row)")
        table, widths, has_qrels = terminal.without(table, [0]), widths[1:], False
    if not decorated:
        return table, _narrow_note(lacking)
    keys = [row[:_FIRST] if has_qrels else (next(iter(sets)), row[0]) for row in table.rows]
    room = cells - terminal.total(widths) - _GAP - terminal.BAR
    at = _FIRST + 1 if has_qrels else _FIRST
    if room < 0:
        lacking += [f"bars of {measure.name}", "marks by topic"]
        return table, _narrow_note(lacking)
    table = _with_column(table, at, "", _bars(warehouse, keys, [row[at - 1] for row in table.rows]))
    if room - _GAP < _FEWEST:
        lacking.append("marks by topic")
        return table, _narrow_note(lacking)
    marks, note = _marks(warehouse, measure, qrels, runs, room - _GAP, digits)
    table = _with_column(table, len(table.columns), _BY_TOPIC, [marks[tuple(key)] for key in keys])
    return table, [*_narrow_note(lacking), *note]


def _narrow_note(lacking: Sequence[str]) -> list[str]:
    return [f"the terminal is too narrow for {', '.join(lacking)}"] if lacking else []


def _with_column(table: Table, at: int, name: str, texts: Sequence[str]) -> Table:
    rows = [[*row[:at], text, *row[at:]] for row, text in zip(table.rows, texts, strict=True)]
    return table._replace(columns=[*table.columns[:at], name, *table.columns[at:]], rows=rows)


def _bars(warehouse: Warehouse, keys: Sequence[Sequence[object]], means: Sequence[object]) -> list[str]:
    board = "select unnest(?::varchar[]) as qrels, unnest(?::varchar[]) as run, unnest(?::double[]) as value"
    lengths = relation_query(
        warehouse.catalog, "bar_lengths", {"board": board}, longest=terminal.BAR * terminal.EIGHTHS
    )
    rows = warehouse.rows(lengths, [[key[0] for key in keys], [key[1] for key in keys], list(means)])
    found: dict[tuple[object, ...], int] = {(name, run): length for name, run, length in rows}
    return [terminal.bar(found[tuple(key)]) for key in keys]


def _marks(
    warehouse: Warehouse, measure: Measure, qrels: Names, runs: Names, room: int, digits: int
) -> tuple[dict[tuple[object, ...], str], list[str]]:
    """By judgment set and run the marks, at most as many as there is room for, and how they are to be read."""
    values = warehouse.evaluation.components_query(measure, qrels=qrels, runs=runs)
    heights = relation_query(
        warehouse.catalog, "topic_marks", {"topic_values": values}, marks=room, levels=len(terminal.HEIGHTS)
    )
    levels: dict[tuple[object, ...], list[int]] = {}
    scales: dict[str, tuple[float, float, int]] = {}
    for name, run, _, level, lowest, highest, num_topics in warehouse.rows(heights):
        levels.setdefault((name, run), []).append(level)
        scales[name] = lowest, highest, num_topics
    notes = [
        f"{_BY_TOPIC}: {measure.name} of {_grouped(num_topics, room)}, from the lowest mean over these systems to the "
        f"highest; {terminal.HEIGHTS[0]} is {lowest:.{digits}f}, {terminal.HEIGHTS[-1]} {highest:.{digits}f}"
        + (f" ({name})" if len(scales) > 1 else "")
        for name, (lowest, highest, num_topics) in scales.items()
        if highest is not None
    ]
    return {key: terminal.sparkline(heights) for key, heights in levels.items()}, notes


def _grouped(num_topics: int, room: int) -> str:
    if num_topics <= room:
        return f"the {num_topics} topics" if num_topics > 1 else "the topic"
    return f"the {num_topics} topics in {room} groups, the mean of each"
