"""``evalsql chart``: one chart of a report as a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from evalsql.catalog.names import parse_measures
from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_runs
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import DEFAULT_MEASURES, Measures, MemoryLimit, OneQrelsSelection, OwnMeasures
from evalsql.cli.outputs import protected_files, write_bytes
from evalsql.cli.where import Where
from evalsql.database.database import translated_errors
from evalsql.errors import UsageError
from evalsql.report import charts
from evalsql.report.overview import chart_rows

Name = Literal[
    "agreement", "differences", "distribution", "history", "pr", "pr_levels", "roc", "tap", "topics", "unjudged"
]


@grouped_options
def chart(
    *,
    name: Annotated[
        Name,
        typer.Argument(
            help="agreement of measures, differences by topic to a baseline, distribution over topics, history of "
            "systems, pr (mean over topics), pr_levels (by topic, of one run), roc, tap, topics by systems, unjudged "
            "documents by rank."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to: .png, .svg or .html.")],
    selection: OneQrelsSelection,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="RUN", autocompletion=complete_runs, help="Run that is compared with (differences)."
        ),
    ] = None,
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    where: Where,
) -> None:
    """A chart of the report as a picture or a page.

    The points of curves, and more of their options: evalsql curve.

    Example: evalsql chart pr bm25 dense -o pr.svg
    """
    if output.suffix.lower() not in charts.EXTENSIONS:
        raise UsageError(f"{output}: charts are drawn as {', '.join(charts.EXTENSIONS)}")
    with (
        open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse,
        translated_errors(warehouse.path),
    ):
        table = chart_rows(
            warehouse,
            name,
            measure or DEFAULT_MEASURES,
            qrels=selection.only_qrels,
            runs=selection.chosen(warehouse),
            baseline=baseline,
        )
        (first, *_) = parse_measures(measure or DEFAULT_MEASURES, warehouse.catalog)
        keep = protected_files(warehouse)
    if not table.rows:
        raise UsageError(f"there is nothing to draw as {name}")
    of = first.name if name in ("differences", "distribution", "topics") else ""
    if name in ("differences", "pr_levels"):
        names = [str(table.rows[0][list(table.columns).index("run")]), *([baseline] if baseline else [])]
        of = ", ".join(filter(None, (of, " less ".join(names))))
    write_bytes(charts.draw(name, table, output.suffix.lower(), of), output, keep=keep)
