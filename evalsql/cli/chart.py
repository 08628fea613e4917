"""``evalsql chart``: one chart of a report as a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.cli.groups import grouped_options
from evalsql.cli.look import LookOptions
from evalsql.cli.name_completion import complete_runs
from evalsql.cli.notes import note
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import DEFAULT_MEASURES, Measures, OneQrelsSelection, OwnMeasures
from evalsql.cli.outputs import protected_files, write_bytes
from evalsql.cli.where import MemoryLimit, Where
from evalsql.database.database import translated_errors
from evalsql.errors import UsageError
from evalsql.report import charts
from evalsql.report.drawing import drawing

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
        typer.Option(
            "--baseline",
            metavar="RUN",
            autocompletion=complete_runs,
            help="Run that is compared with (differences, histogram, scatter).",
        ),
    ] = None,
    look: LookOptions,
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """A chart of the report as a picture or a page.

    A system has the same colour in every chart. The points of curves, and more of their options: evalsql curve.

    Example: evalsql chart pr bm25 dense -o pr.svg
    """
    if output.suffix.lower() not in charts.EXTENSIONS:
        raise UsageError(f"{output}: charts are drawn as {', '.join(charts.EXTENSIONS)}")
    with (
        open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse,
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
        keep = protected_files(warehouse)
    write_bytes(charts.draw(name, drawn.table, output.suffix.lower(), drawn.of, appearance), output, keep=keep)
    for text in drawn.notes:
        note(text)
