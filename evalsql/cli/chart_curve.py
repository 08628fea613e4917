"""``evalsql chart`` and ``curve``: charts of a report, points of curves, and how both look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalsql.catalog.measure_names import parse_measures
from evalsql.cli.access import Asking
from evalsql.cli.options import Names, OutputOptions, RunSelection, RunsOfOneSet, argument, command, option
from evalsql.cli.output import note, write_file, write_table
from evalsql.database.database import translated_errors
from evalsql.database.names import resolve_names
from evalsql.errors import UsageError
from evalsql.report import charts
from evalsql.report.charts import MOST_LINES, best_runs, drawing, most_systems, styles
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

    width: int | None = option("--width PIXELS", "Width of the chart.", min=50, max=20_000)
    height: int | None = option("--height PIXELS", "Height of the chart.", min=50, max=20_000)
    title: str | None = option("--title TEXT", 'What stands above the chart; "" is nothing.')
    lines: int | None = option(
        "--lines N",
        f"Draw so many systems at most, the best ones; by default {MOST_LINES} where each is a line, or all "
        "that are named one by one.",
        min=1,
    )

    def write(self, warehouse: Warehouse, name: str, table: Table, output: Path, of: str = "") -> None:
        """Write a chart of this name to a file, whose extension says how it is drawn."""
        look = charts.Look(self.width, self.height, self.title, styles(warehouse))
        write_file(charts.draw(name, table, output.suffix.lower(), of, look), output, warehouse)


@command
def chart(
    *,
    name: Name = argument(
        "agreement of measures, differences by topic to a baseline, distribution over topics, histogram of "
        "differences to a baseline, history of systems, leaderboard with intervals, pr (mean over topics), "
        "pr_levels (by topic, of one run), roc, scatter of a run and a baseline by topic, slope (order by two "
        "measures), tap, topics by systems, unjudged documents by rank.",
        ...,
        metavar="NAME",
        show_choices=False,
    ),
    output: Path = option("--output -o FILE", "Where to: .png, .svg, .pdf or .html.", ...),
    selection: RunsOfOneSet,
    baseline: str | None = option(
        "--baseline RUN", "Run that is compared with (differences, histogram, scatter).", complete="runs"
    ),
    look: LookOptions,
    asking: Asking,
) -> None:
    """A chart of the report as a picture or a page.

    A system has the same colour in every chart. The points of curves, and more of their options: evalsql curve.

    Example: evalsql chart pr bm25 dense -o pr.svg
    """
    _check_extension(output)
    with asking.open() as warehouse, translated_errors(warehouse.path):
        drawn = drawing(
            warehouse,
            name,
            selection.measures,
            qrels=selection.only_qrels,
            runs=selection.chosen(warehouse),
            baseline=baseline,
            lines=look.lines,
        )
        look.write(warehouse, name, drawn.table, output, drawn.of)
    note(*drawn.notes)


@command
def curve(
    *,
    kind: Literal["pr", "roc", "tap"] = argument(
        "pr: precision at eleven levels of recall, mean over topics; roc: true against false positive rate, "
        "topics pooled by score; tap: false positives by score, and where TAP-k cuts.",
        ...,
    ),
    selection: RunSelection,
    topic: Names = option("--topic NAME", "A curve for this topic (pr, roc); can be repeated."),
    rel: int = option("--rel", "Least grade that counts as relevant.", 1, min=0),
    k: int = option("--k", "False positives at which TAP-k cuts (tap).", 5, min=1),
    quantile: float = option("--quantile", "Share of topics that must have so many (tap).", 0.5),
    chart: Path | None = option("--chart FILE", "Draw it to this file: .png, .svg, .pdf or .html."),
    look: LookOptions,
    output: OutputOptions,
    asking: Asking,
) -> None:
    """Points of precision-recall, ROC and TAP curves, and charts.

    Example: evalsql curve roc bm25 dense --chart roc.svg
    """
    if chart is not None:
        _check_extension(chart)
        if chart == output.path:
            raise UsageError(f"{chart}: the chart and its points go to files of their own")
    _ = output.chosen_format  # an unknown extension is refused before the work
    if topic and kind == "tap":
        raise UsageError("the threshold of TAP-k is common to all topics; --topic is for pr and roc")
    arguments = {"k": k, "rel": rel, "quantile": quantile} if kind == "tap" else {"rel": rel}
    with asking.open() as warehouse:
        runs, qrels = selection.chosen(warehouse), selection.qrels_names
        query = warehouse.evaluation.curve_query(kind, runs=runs, qrels=qrels, topics=topic or (), **arguments)
        table = Table(*warehouse.database.table(query))
        if not table.rows or topic:
            _note_missing(warehouse, table, runs or ["*"], topic)
        if chart is not None:
            drawn = _of_few_runs(warehouse, table, qrels, runs, most_systems(warehouse, kind, runs, look.lines))
            look.write(warehouse, kind + ("_topics" if topic else ""), drawn, chart)
        write_table(table, output, warehouse)


def _check_extension(output: Path) -> None:
    if output.suffix.lower() not in charts.EXTENSIONS:
        raise UsageError(f"{output}: charts are drawn as {', '.join(charts.EXTENSIONS)}")


def _note_missing(warehouse: Warehouse, table: Table, runs: Sequence[str], topics: Names) -> None:
    columns = list(table.columns)
    by = [columns.index(name) for name in (("run", "topic") if topics else ("run",))]
    drawn = {tuple(row[place] for place in by) for row in table.rows}
    for run in resolve_names(warehouse.database, "run", runs):
        for topic in topics or [""]:
            if ((run, topic) if topics else (run,)) not in drawn:
                note(f"{run}{f' on {topic}' if topics else ''} has no curve: nothing is retrieved, or of one kind only")


def _of_few_runs(
    warehouse: Warehouse, table: Table, qrels: Sequence[str], runs: Sequence[str], most: int | None
) -> Table:
    """The points of as many runs as a chart can show, the best by AP."""
    place = list(table.columns).index("run")
    if most is None or len({row[place] for row in table.rows}) <= most:
        return table
    (measure,) = parse_measures(["AP"], warehouse.catalog)
    best, notes = best_runs(warehouse, measure, qrels, runs, most)
    note(*notes)
    return table._replace(rows=[row for row in table.rows if row[place] in best])
