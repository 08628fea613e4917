"""What people are told beside the data, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from evalsql.catalog.measure_names import Measure
from evalsql.database.database import MEMORY
from evalsql.errors import UsageError
from evalsql.evaluation import notices
from evalsql.phrases import counted
from evalsql.warehouse.warehouse import Warehouse


def note(text: str) -> None:
    """Tell the user something, beside the data."""
    from evalsql.report.terminal import printable

    print(printable(text), file=sys.stderr)


def note_coverage(warehouse: Warehouse, qrels: Sequence[str], runs: Sequence[str]) -> None:
    """Tell how many topics are averaged, which are left out, and which runs have next to nothing judged."""
    for each in notices.on_coverage(warehouse.evaluation, qrels, runs):
        note(each.text)
    # Of what a warehouse in memory holds, loading has told just now.
    for each in notices.on_overlaps(warehouse.evaluation, qrels, runs) if warehouse.path != MEMORY else ():
        note(each.text)


def note_formats(judgments: Sequence[str], runs: Sequence[str]) -> None:
    """Tell how judgments and runs were read, if not all of them as TREC files."""
    if any(not line.startswith("read as TREC") or "," in line for line in (*judgments[:1], *runs[:1])):
        for what, told in (("judgments", judgments), ("runs", runs)):
            note(f"{what} {'; '.join(told)}")


def note_repeated(warehouse: Warehouse) -> None:
    """Tell of each run and judgment set how many repeated documents were left out, where any were."""
    rows = warehouse.rows("""
        select run, duplicates from runs where duplicates > 0
        union all
        select qrels, duplicates from qrels where duplicates > 0
    """)
    for name, count in rows:
        note(f"{name}: {counted(count, 'repeated document')} left out")


def note_thresholds(
    warehouse: Warehouse, measures: Sequence[Measure], qrels: Sequence[str], runs: Sequence[str]
) -> None:
    """Tell at which score TAP cuts each run, a line a run, where there are few."""
    for line in notices.on_thresholds(warehouse.evaluation, measures, qrels, runs):
        note(line)


def note_waiting(warehouse: Warehouse, runs: Sequence[str]) -> None:
    """Name runs that no judgment set evaluates; raises UsageError with that where none of these is evaluated."""
    text = notices.on_waiting(warehouse.evaluation, runs)
    if text and not warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query((), runs)}) limit 1"):
        raise UsageError(text)
    if text:
        note(text)
    elif not warehouse.rows(f"select 1 from ({warehouse.evaluation.coverage_query((), runs)}) limit 1"):
        note("no run is loaded that judgments evaluate; evalsql load runs FILE brings one")


def note_ties(warehouse: Warehouse, measure: Measure, qrels: Sequence[str], runs: Sequence[str]) -> None:
    """Warn where the order of runs by a measure could be another under other orders of tied documents."""
    if text := notices.on_ties(warehouse.evaluation, measure, qrels, runs):
        note(text)
