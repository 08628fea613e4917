"""``evalsql chart`` and ``curve``: charts of a report, points of curves, and how both look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.catalog.measure_names import parse_measures
from evalsql.cli.access import Asking
from evalsql.cli.options import (
    DEFAULT_MEASURES,
    Measures,
    OneQrelsSelection,
    RunSelection,
    baseline_option,
    grouped_options,
)
from evalsql.cli.output import OutputOptions, note, write_bytes, write_table
from evalsql.database.database import translated_errors
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.report import charts
from evalsql.report.charts import MOST_LINES, Look, best_runs, drawing, most_systems, styles
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

Name = Literal[
    "agreement",
    "differences",
    "distribution",
    "histogram",
    "history",
    "leaderboard",
    "pr",
    "pr_levels",
    "roc",
    "scatter",
    "slope",
    "tap",
    "topics",
    "unjudged",
]


@dataclass(frozen=True)
class LookOptions:
    """What every chart takes."""

    width: Annotated[
        int | None, typer.Option("--width", min=50, max=20_000, metavar="PIXELS", help="Width of the chart.")
    ] = None
    height: Annotated[
        int | None, typer.Option("--height", min=50, max=20_000, metavar="PIXELS", help="Height of the chart.")
    ] = None
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help='What stands above the chart; "" is nothing.')
    ] = None
    lines: Annotated[
        int | None,
        typer.Option(
            "--lines",
            min=1,
            metavar="N",
            help=f"Draw so many systems at most, the best ones; by default {MOST_LINES} where each is a line, or all "
            "that are named one by one.",
        ),
    ] = None

    def appearance(self, warehouse: Warehouse) -> Look:
        """The look of a chart of this warehouse."""
        return Look(self.width, self.height, self.title, styles(warehouse))


@grouped_options
def chart(
    *,
    name: Annotated[
        Name,
        typer.Argument(
            metavar="NAME",
            show_choices=False,
            help="agreement of measures, differences by topic to a baseline, distribution over topics, histogram of "
            "differences to a baseline, history of systems, leaderboard with intervals, pr (mean over topics), "
            "pr_levels (by topic, of one run), roc, scatter of a run and a baseline by topic, slope (order by two "
            "measures), tap, topics by systems, unjudged documents by rank.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to: .png, .svg, .pdf or .html.")
    ],
    selection: OneQrelsSelection,
    baseline: Annotated[
        str | None,
        baseline_option(
            help="Run that is compared with (differences, histogram, scatter).",
        ),
    ] = None,
    look: LookOptions,
    measure: Measures = None,
    asking: Asking,
) -> None:
    """A chart of the report as a picture or a page.

    A system has the same colour in every chart. The points of curves, and more of their options: evalsql curve.

    Example: evalsql chart pr bm25 dense -o pr.svg
    """
    if output.suffix.lower() not in charts.EXTENSIONS:
        raise UsageError(f"{output}: charts are drawn as {', '.join(charts.EXTENSIONS)}")
    with (
        asking.open() as warehouse,
        translated_errors(warehouse.path),
    ):
        drawn = drawing(
            warehouse,
            name,
            measure or DEFAULT_MEASURES,
            qrels=selection.only_qrels,
            runs=selection.chosen(warehouse),
            baseline=baseline,
            lines=look.lines,
        )
        appearance = look.appearance(warehouse)
        picture = charts.draw(name, drawn.table, output.suffix.lower(), drawn.of, appearance)
        write_bytes(picture, output, warehouse)
    for text in drawn.notes:
        note(text)


Kind = Literal["pr", "roc", "tap"]


@grouped_options
def curve(
    *,
    kind: Annotated[
        Kind,
        typer.Argument(
            help="pr: precision at eleven levels of recall, mean over topics; roc: true against false positive rate, "
            "topics pooled by score; tap: false positives by score, and where TAP-k cuts."
        ),
    ],
    selection: RunSelection,
    topic: Annotated[
        list[str] | None,
        typer.Option("--topic", metavar="NAME", help="A curve for this topic (pr, roc); can be repeated."),
    ] = None,
    rel: Annotated[int, typer.Option(min=0, help="Least grade that counts as relevant.")] = 1,
    k: Annotated[int, typer.Option(min=1, help="False positives at which TAP-k cuts (tap).")] = 5,
    quantile: Annotated[float, typer.Option(help="Share of topics that must have so many (tap).")] = 0.5,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE", help="Draw it to this file: .png, .svg, .pdf or .html.")
    ] = None,
    look: LookOptions,
    output: OutputOptions,
    asking: Asking,
) -> None:
    """Points of precision-recall, ROC and TAP curves, and charts.

    Example: evalsql curve roc bm25 dense --chart roc.svg
    """
    if chart is not None and chart.suffix.lower() not in charts.EXTENSIONS:
        raise UsageError(f"{chart}: charts are drawn as {', '.join(charts.EXTENSIONS)}")
    if chart is not None and chart == output.path:
        raise UsageError(f"{chart}: the chart and its points go to files of their own")
    _ = output.chosen_format  # an unknown extension is refused before the work
    if topic and kind == "tap":
        raise UsageError("the threshold of TAP-k is common to all topics; --topic is for pr and roc")
    arguments = {"k": k, "rel": rel, "quantile": quantile} if kind == "tap" else {"rel": rel}
    with asking.open() as warehouse:
        runs = selection.chosen(warehouse)
        query = warehouse.evaluation.curve_query(
            kind, runs=runs, qrels=selection.qrels_names, topics=topic or (), **arguments
        )
        table = Table(*warehouse.database.table(query))
        if not table.rows or topic:
            _note_missing(warehouse, table, runs or ["*"], topic or ())
        if chart is not None:
            drawn = _drawn(warehouse, kind, table, selection.qrels_names, runs, look)
            name, appearance = kind + ("_topics" if topic else ""), look.appearance(warehouse)
            write_bytes(charts.draw(name, drawn, chart.suffix.lower(), look=appearance), chart, warehouse)
        write_table(table, output, warehouse)


def _note_missing(warehouse: Warehouse, table: Table, runs: Sequence[str], topics: Sequence[str]) -> None:
    columns = list(table.columns)
    by = [columns.index(name) for name in (("run", "topic") if topics else ("run",))]
    drawn = {tuple(row[place] for place in by) for row in table.rows}
    for run in resolve_names(warehouse.database, "run", runs):
        for topic in topics or [""]:
            if ((run, topic) if topics else (run,)) not in drawn:
                note(f"{run}{f' on {topic}' if topics else ''} has no curve: nothing is retrieved, or of one kind only")


def _drawn(
    warehouse: Warehouse, kind: str, table: Table, qrels: Sequence[str], runs: Sequence[str], look: LookOptions
) -> Table:
    """The points of as many runs as a chart can show, the best by AP."""
    most = most_systems(warehouse, kind, runs, look.lines)
    place = table.columns.index("run")
    if most is None or len({row[place] for row in table.rows}) <= most:
        return table
    (measure,) = parse_measures(["AP"], warehouse.catalog)
    best, notes = best_runs(warehouse, measure, qrels, runs, most)
    for text in notes:
        note(text)
    return table._replace(rows=[row for row in table.rows if row[place] in best])
