"""``evalsql history`` and ``diff``: a system over time, and what is different between two runs."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from evalsql.catalog.measure_names import Measure, names_of_counts, parse_measures
from evalsql.cli.groups import grouped_options
from evalsql.cli.look import LookOptions
from evalsql.cli.name_completion import complete_runs, complete_systems
from evalsql.cli.notes import note
from evalsql.cli.opening import open_to_read
from evalsql.cli.options import Measures, OutputOptions, OwnMeasures, QrelsFilter, RunFilters
from evalsql.cli.outputs import protected_files, write_bytes, write_table
from evalsql.cli.where import MemoryLimit, WhereToAsk
from evalsql.errors import JOIN_RUN, UsageError
from evalsql.evaluation.run_changes import MOST_TOPICS, document_changes_query, history_query, topic_changes_query
from evalsql.phrases import counted
from evalsql.report import charts
from evalsql.report.drawing import MOST_LINES, best_systems
from evalsql.report.page.report_data import history_chart
from evalsql.report.table import Table

_MEASURES = ("nDCG@10",)


@grouped_options
def history(
    *,
    systems: Annotated[
        list[str] | None,
        typer.Argument(autocompletion=complete_systems, help="Systems, or globs of names; all by default."),
    ] = None,
    filters: RunFilters,
    qrels: QrelsFilter = None,
    measure: Measures = None,
    own: OwnMeasures,
    look: LookOptions,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: WhereToAsk,
) -> None:
    """A system over time: means, intervals and what changed.

    The column changed says where judgments, the SQL of a figure or the system's version are others than of the run
    before. All figures are by the judgments in use. An output .png, .svg, .pdf or .html is a chart.

    Example: evalsql history hybrid -m nDCG@10 --last 30
    """
    is_chart = output.path is not None and output.format is None and output.path.suffix.lower() in charts.EXTENSIONS
    if not is_chart:
        _ = output.chosen_format  # an unknown extension is refused before the work
    with open_to_read(where, measures=own.paths, memory_limit=memory_limit) as warehouse:
        named = parse_measures(measure or _MEASURES, warehouse.catalog)
        query = history_query(
            warehouse.evaluation, measure or _MEASURES, choice=filters.choice((), systems or ()), qrels=qrels or ()
        )
        counts = names_of_counts(named)
        table = Table(*warehouse.database.table(query), counts)
        keep = protected_files(warehouse)
        if not table.rows:
            raise UsageError(f"no judgment set evaluates these runs; {JOIN_RUN}")
        if is_chart and output.path is not None:
            shown, appearance = _few(history_chart(table), named[0], systems, look.lines), look.appearance(warehouse)
            drawn = charts.draw("history", shown, output.path.suffix.lower(), look=appearance)
            write_bytes(drawn, output.path, keep=keep)
        else:
            write_table(_shown(table) if output.is_text else table, output, keep=keep)
    _note_changes(table)


def _few(table: Table, measure: Measure, systems: list[str] | None, lines: int | None) -> Table:
    """The rows of as many systems as a chart can show; of all where they are named one by one."""
    held = {str(row[table.columns.index("system")]) for row in table.rows}
    if lines is None and systems and held >= {*systems}:
        return table
    shown, notes = best_systems(table, measure, lines or MOST_LINES)
    for text in notes:
        note(text)
    return shown


def _shown(table: Table) -> Table:
    """The table where people read it: without the digest, of which the column changed tells where it is another."""
    return Table(table.columns[:-1], [row[:-1] for row in table.rows], table.counts)


def _note_changes(table: Table) -> None:
    """Tell what may mislead: figures of several judgments or of other SQL in one table."""
    columns = list(table.columns)
    found = {name: {row[columns.index(name)] for row in table.rows} for name in ("qrels", "sql_digest")}
    if len(found["qrels"]) > 1:
        note(f"figures by {counted(len(found['qrels']), 'judgment set')}: compare within one only")
    if len(found["sql_digest"]) > 1:
        note("figures made by different SQL stand in one table; sql in the column changed marks where")
    marks = [str(row[columns.index("changed")] or "") for row in table.rows]
    if any("judgments" in mark for mark in marks):
        note("judgments were replaced meanwhile; all figures are by those named, older reports had others")


@grouped_options
def diff(
    *,
    run: Annotated[str, typer.Argument(autocompletion=complete_runs, help="The run before.")],
    other: Annotated[str, typer.Argument(autocompletion=complete_runs, help="The run after.")],
    documents: Annotated[
        bool, typer.Option("--documents", "-d", help="The documents that moved, of the topics that differ most.")
    ] = False,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", metavar="NAME", help="Only this topic; can be repeated.")
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most", min=1, metavar="N", help=f"So many topics; all by default, {MOST_TOPICS} with --documents."
        ),
    ] = None,
    depth: Annotated[int, typer.Option(min=1, help="Documents among the first so many of either run.")] = 10,
    qrels: QrelsFilter = None,
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    output: OutputOptions,
    where: WhereToAsk,
) -> None:
    """What is different between two runs: topics and documents.

    Topics are those on which a measure differs, the largest differences first. With --documents the documents that
    stand at another rank are listed, relevant ones first.

    Example: evalsql diff bm25 dense -m nDCG@10 --documents
    """
    with open_to_read(where, measures=own.paths, memory_limit=memory_limit) as warehouse:
        query = topic_changes_query(
            warehouse.evaluation, run, other, measure or _MEASURES, qrels=qrels or (), topics=topic or ()
        )
        columns, rows = warehouse.database.table(query)
        wanted = most or (MOST_TOPICS if documents else len(rows))
        table = Table(columns, rows[:wanted])
        if documents:
            pairs = list(dict.fromkeys((str(judged), str(name)) for judged, _, name, *_ in table.rows))
            moved = document_changes_query(warehouse.evaluation, run, other, pairs, depth=depth)
            table = Table(*warehouse.database.table(moved))
        write_table(table, output, keep=protected_files(warehouse))
    shown = f"{wanted} of " if wanted < len(rows) else ""
    note(f"{shown}{counted(len(rows), 'difference')} by topic, of {other} less {run}")
    if rows and not documents:
        asked = [run, other, *(("-m", ",".join(measure)) if measure else ())]
        note(f"evalsql diff {shlex.join(asked)} --documents names the documents that moved")
