"""Topics with a column a run, as a terminal shows them: names of runs are cut where there is little room."""

from __future__ import annotations

from evalsql.report import terminal
from evalsql.report.table import Table
from evalsql.report.terminal import Going

GOING = Going(("qrels", "measure"))
_NAMED = 3  # columns before those of runs
_SHORTEST = 10  # cells of a cut name


def fitting(table: Table, digits: int) -> tuple[Table, list[str]]:
    """The table with shorter names of runs above its columns, where whole ones leave no room, and what it lacks."""
    if terminal.total(terminal.natural_widths(table, digits)) <= terminal.width():
        return table, []
    names = [terminal.cut(name, _SHORTEST) for name in table.columns[_NAMED:]]
    lacking = ["the terminal is too narrow for whole names of runs"] if names != table.columns[_NAMED:] else []
    return table._replace(columns=[*table.columns[:_NAMED], *names]), lacking
