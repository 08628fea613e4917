"""``evalsql leaderboard`` and ``topics``: values of measures by run and by topic."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import typer

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, names_of_counts, names_of_less_is_better, parse_measures
from evalsql.cli.access import AskingScores
from evalsql.cli.options import DEFAULT_MEASURES, Arrangement, Measures, RunSelection, grouped_options
from evalsql.cli.output import (
    OutputOptions,
    note,
    note_coverage,
    note_thresholds,
    note_ties,
    note_waiting,
    write_table,
)
from evalsql.database.names import Names
from evalsql.evaluation.listings import groups_query, lower_columns, wide_query
from evalsql.evaluation.listings import texts as texts_of
from evalsql.phrases import counted, natural_key
from evalsql.report import terminal
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse


@grouped_options
def leaderboard(
    *,
    selection: RunSelection,
    measure: Measures = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by", metavar="KEY", help="Average the topics of each group apart: a group that was loaded, or length."
        ),
    ] = None,
    arrangement: Arrangement,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """Systems by measures: one row a run, the best on top.

    The best is the one with the best mean of the first measure. With --by there is a row for each group of topics and
    run.

    Example: evalsql leaderboard 'rerank-*' bm25 -m nDCG@10,AP
    """
    measures = measure or DEFAULT_MEASURES
    with asking.open(asked=measures if by is None else None) as warehouse:
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        asked = Asked(warehouse, measures, selection.qrels_names, runs, output, arrangement)
        if by is None:
            print_board(asked)
        else:
            _print_groups(asked, by)


@grouped_options
def topics(
    *,
    selection: RunSelection,
    measure: Measures = None,
    texts: Annotated[
        bool, typer.Option("--texts", help="The text of each topic in a last column, where it was loaded.")
    ] = False,
    wide: Annotated[bool, typer.Option("--wide", help="A row a topic and measure, and a column a run.")] = False,
    arrangement: Arrangement,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """Values per topic: one row for each run, topic and measure.

    With --wide there is a row for each topic and measure, and a column for each run.

    Example: evalsql topics dense -m nDCG@10 -o topics.csv
    """
    with asking.open() as warehouse:
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        asked = Asked(warehouse, measure or DEFAULT_MEASURES, selection.qrels_names, runs, output, arrangement)
        if wide:
            _print_wide(asked, show_texts=texts)
        else:
            print_topics(asked, show_texts=texts)


@dataclass(frozen=True)
class Asked:
    """Which measures are asked of which runs by which judgment sets, empty being all, and how the rows come."""

    warehouse: Warehouse
    measures: Sequence[str]
    qrels: Sequence[str]
    runs: Sequence[str]
    output: OutputOptions
    arrangement: Arrangement

    @cached_property
    def named(self) -> list[Measure]:
        """The measures, at least one."""
        return parse_measures(self.measures, self.warehouse.catalog)

    @property
    def lower(self) -> frozenset[str]:
        """Measures of which less is better."""
        return names_of_less_is_better(self.named)

    def scores_query(self, *, per_topic: bool) -> str:
        """The SELECT of the scores."""
        return self.warehouse.evaluation.scores_query(
            self.measures, per_topic=per_topic, qrels=self.qrels, runs=self.runs
        )

    def table(self, query: str) -> Table:
        """The rows of a SELECT in the order that is asked for."""
        ordered = self.arrangement.sorted_query(self.warehouse, query, lower_columns(self.named))
        return Table(*self.warehouse.database.table(ordered), names_of_counts(self.named))

    def write(self, table: Table, notes: Sequence[str] = (), dropped: DroppedColumns | None = None) -> None:
        """Write the rows, and tell what there is to say of them and of the topics."""
        write_table(table, self.output, self.warehouse, dropped)
        for text in notes:
            note(text)
        note_coverage(self.warehouse, self.qrels, self.runs)


def print_board(asked: Asked) -> None:
    """Means of each run, the best on top."""
    output, notes = asked.output, list[str]()
    table = asked.table(asked.scores_query(per_topic=False))
    if output.is_drawn or output.chosen_format == "latex":
        table = table.with_best(asked.lower, output.digits)
    table = asked.arrangement.first_rows(table)
    if output.is_drawn:
        table, notes = add_bars(asked.warehouse, table, asked.named[0], asked.qrels, asked.runs, output.digits)
    asked.write(table, notes)
    note_thresholds(asked.warehouse, asked.named, asked.qrels, asked.runs)
    note_ties(asked.warehouse, asked.named[0], asked.qrels, asked.runs)


def print_topics(asked: Asked, *, show_texts: bool = False) -> None:
    """Values by topic, a row for each judgment set, run, topic and measure."""
    table = asked.table(asked.scores_query(per_topic=True))
    if show_texts:
        table = _with_texts(asked.warehouse, table)
    if asked.arrangement.sort is None and (asked.output.is_drawn or asked.arrangement.limit):
        table = _in_natural_order(table)
    asked.write(asked.arrangement.first_rows(table))
    note_thresholds(asked.warehouse, asked.named, asked.qrels, asked.runs)


def _print_wide(asked: Asked, *, show_texts: bool) -> None:
    """Values by topic, a row for each judgment set, measure and topic, and a column for each run."""

    warehouse, names = asked.warehouse, [each.name for each in asked.named]
    covered = (run for _, run, *_ in warehouse.rows(warehouse.evaluation.coverage_query(asked.qrels, asked.runs)))
    runs = list(dict.fromkeys(covered))
    values = asked.scores_query(per_topic=True)
    table = asked.table(wide_query(warehouse.database, values, runs=runs, measures=names))
    if show_texts:
        table = _with_texts(warehouse, table)
    table = asked.arrangement.first_rows(table)
    if asked.output.is_drawn:
        table, notes = fitting(table, asked.output.digits)
        asked.write(table, notes, DROPPED)
    else:
        asked.write(table)
    note_thresholds(asked.warehouse, asked.named, asked.qrels, asked.runs)


def _in_natural_order(table: Table) -> Table:
    """The rows of each judgment set and run with topic 2 before topic 10, as a person looks for them."""
    groups = {key: at for at, key in enumerate(dict.fromkeys((row[0], row[1]) for row in table.rows))}
    rows = sorted(table.rows, key=lambda row: (groups[row[0], row[1]], natural_key(str(row[2]))))
    return table._replace(rows=rows)


def _with_texts(warehouse: Warehouse, table: Table) -> Table:
    found = texts_of(warehouse.evaluation)
    if not found:
        note("no topic has a text; evalsql load topics FILE brings them")
    rows = [[*row, found.get((str(row[0]), str(row[2])))] for row in table.rows]
    return Table([*table.columns, "text"], rows, table.counts)


def _print_groups(asked: Asked, by: str) -> None:
    """Means by group of topics, and what there is to be said of the groups."""
    table = asked.table(
        groups_query(asked.warehouse.evaluation, by, asked.measures, qrels=asked.qrels, runs=asked.runs)
    )
    without: set[Any] = {(row[0], row[3]) for row in table.rows if row[1] is None}
    notes = [
        f"{name}: {counted(count, 'topic')} without {by}, in the rows that name no group"
        for name, count in sorted(without)
    ]
    asked.write(asked.arrangement.first_rows(table), notes)


_FIRST = 2  # the column of the first measure
_BY_TOPIC = "by topic"
_FEWEST = 10  # marks
_GAP = 2


def add_bars(
    warehouse: Warehouse, table: Table, measure: Measure, qrels: Names, runs: Names, digits: int
) -> tuple[Table, list[str]]:
    """The table with the best in colour and the bars and marks there is room for, and what is to be said of it."""
    from evalsql.report.display import bar_lengths

    cells = terminal.width()
    widths = terminal.natural_widths(table, digits)
    sets = {row[0] for row in table.rows}
    lacking: list[str] = []
    decorated = terminal.shows_blocks(sys.stdout) and bool(table.rows)
    wanted = terminal.BAR + _GAP + _FEWEST + _GAP if decorated else 0
    has_qrels = True
    if terminal.total(widths) + wanted > cells and len(sets) == 1:
        lacking.append(f"qrels ({next(iter(sets))} in every row)")
        table, widths, has_qrels = table.without(0), widths[1:], False
    if not decorated:
        return table, _narrow_note(lacking)
    keys = [row[:_FIRST] if has_qrels else (next(iter(sets)), row[0]) for row in table.rows]
    room = cells - terminal.total(widths) - _GAP - terminal.BAR
    at = _FIRST + 1 if has_qrels else _FIRST
    if room < 0:
        lacking += [f"bars of {measure.name}", "marks by topic"]
        return table, _narrow_note(lacking)
    lengths = bar_lengths(warehouse, keys, [row[at - 1] for row in table.rows], terminal.BAR * terminal.EIGHTHS)
    table = table.with_column(at, "", list(map(terminal.bar, lengths)))
    if room - _GAP < _FEWEST:
        lacking.append("marks by topic")
        return table, _narrow_note(lacking)
    marks, note = _marks(warehouse, measure, qrels, runs, room - _GAP, digits)
    table = table.with_column(len(table.columns), _BY_TOPIC, [marks[tuple(key)] for key in keys])
    return table, [*_narrow_note(lacking), *note]


def _narrow_note(lacking: Sequence[str]) -> list[str]:
    return [f"the terminal is too narrow for {', '.join(lacking)}"] if lacking else []


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


DROPPED = DroppedColumns(("qrels", "measure"))
_NAMED = 3  # columns before those of runs
_SHORTEST = 10  # cells of a cut name


def fitting(table: Table, digits: int) -> tuple[Table, list[str]]:
    """The table with shorter names of runs above its columns, where whole ones leave no room, and what it lacks."""
    if terminal.total(terminal.natural_widths(table, digits)) <= terminal.width():
        return table, []
    names = [terminal.cut(name, _SHORTEST) for name in table.columns[_NAMED:]]
    lacking = ["the terminal is too narrow for whole names of runs"] if names != table.columns[_NAMED:] else []
    return table._replace(columns=[*table.columns[:_NAMED], *names]), lacking
