"""``evalsql report``: one judgment set's runs as a page, or as Markdown, LaTeX or JSON."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.notes import note_waiting
from evalsql.cli.opening import open_warehouse
from evalsql.cli.options import DEFAULT_MEASURES, Digits, Measures, MemoryLimit, OneQrelsSelection, OwnMeasures
from evalsql.cli.outputs import protected_files, write_bytes
from evalsql.cli.where import Where
from evalsql.database.database import translated_errors
from evalsql.errors import UsageError
from evalsql.report.overview import overview
from evalsql.version import __version__

_FORMATS = (".html", ".md", ".tex", ".json")


@grouped_options
def report(
    *,
    selection: OneQrelsSelection,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=f"Where to: {', '.join(_FORMATS)} tells the format.")
    ] = Path("report.html"),
    measure: Measures = None,
    own: OwnMeasures,
    memory_limit: MemoryLimit = None,
    digits: Digits = 4,
    where: Where,
) -> None:
    """A report of systems on one judgment set.

    It is a page that needs no network, or Markdown, LaTeX or JSON.

    The page has a leaderboard with intervals and significance, differences and values by topic, precision-recall, ROC
    and TAP curves, spread, agreement of measures, unjudged documents, and where the data comes from.

    Example: evalsql report 'rerank-*' bm25 -m nDCG@10,AP -o report.html
    """
    extension = output.suffix.lower()
    if extension not in _FORMATS:
        raise UsageError(f"{output}: a report is written as {', '.join(_FORMATS)}")
    with (
        open_warehouse(where, read_only=True, measures=own.paths, memory_limit=memory_limit) as warehouse,
        progress_bar() as progress,
        translated_errors(warehouse.path),
    ):
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        found = overview(
            warehouse,
            measure or DEFAULT_MEASURES,
            program_version=__version__,
            qrels=selection.only_qrels,
            runs=runs,
            progress=progress,
        )
        keep = protected_files(warehouse)
    if extension == ".html":
        from evalsql.report.page import page

        write_bytes(page(found, digits).encode(), output, keep=keep)
        return
    from evalsql.report import sections

    writer = {".md": sections.write_markdown, ".tex": sections.write_latex, ".json": sections.write_json}[extension]
    text = StringIO()
    writer(found, text, digits)
    write_bytes(text.getvalue().encode(), output, keep=keep)
