"""``evalsql report``: one judgment set's runs as a page, or as Markdown, LaTeX or JSON."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer

from evalsql.cli.bars import progress_bar
from evalsql.cli.groups import grouped_options
from evalsql.cli.name_completion import complete_runs
from evalsql.cli.notes import note_waiting
from evalsql.cli.opening import open_to_read
from evalsql.cli.options import DEFAULT_MEASURES, Measures, OneQrelsSelection, OwnMeasures
from evalsql.cli.outputs import protected_files, write_bytes
from evalsql.cli.where import MemoryLimit, WhereToAsk
from evalsql.database.database import translated_errors
from evalsql.errors import UsageError
from evalsql.report.page.report_data import MOST_THRESHOLDS, ON_REQUEST, gather_report
from evalsql.report.page.report_formats import DIGITS, EXTENSIONS, PAGE_DIGITS, SECTIONS, WRITERS
from evalsql.version import __version__


@grouped_options
def report(
    *,
    selection: OneQrelsSelection,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help=f"Where to: {', '.join(EXTENSIONS)} tells the format."),
    ] = Path("report.html"),
    measure: Measures = None,
    own: OwnMeasures,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="RUN", autocompletion=complete_runs, help="Run that others are compared with."
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="What stands above the report.")] = "",
    shown: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="SECTION",
            help=f"Show this too: {', '.join(ON_REQUEST)} (this of over {MOST_THRESHOLDS} runs); can be repeated.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="SECTION", help=f"Leave it out: {', '.join(SECTIONS)}; can be repeated."),
    ] = None,
    memory_limit: MemoryLimit = None,
    digits: Annotated[
        int | None,
        typer.Option(
            "--digits", min=0, max=17, help=f"Decimals, where people read; {PAGE_DIGITS} on a page, else {DIGITS}."
        ),
    ] = None,
    where: WhereToAsk,
) -> None:
    """A report of systems on one judgment set.

    It is a page that needs no network, or Markdown, LaTeX or JSON.

    The page says who wins, by how much and whether that is sure, on which topics it loses and to which documents, what
    to doubt, and where the data comes from.

    Example: evalsql report 'rerank-*' bm25 -m nDCG@10,AP -o report.html
    """
    extension = output.suffix.lower()
    if extension not in EXTENSIONS:
        raise UsageError(f"{output}: a report is written as {', '.join(EXTENSIONS)}")
    is_page = extension == ".html"
    _check_sections("--with", shown, ON_REQUEST)
    _check_sections("--without", without, SECTIONS)
    with (
        open_to_read(where, measures=own.paths, memory_limit=memory_limit) as warehouse,
        progress_bar() as progress,
        translated_errors(warehouse.path),
    ):
        runs = selection.chosen(warehouse)
        note_waiting(warehouse, runs)
        found = gather_report(
            warehouse,
            measure or DEFAULT_MEASURES,
            program_version=__version__,
            qrels=selection.only_qrels,
            runs=runs,
            baseline=baseline,
            title=title,
            shown=shown or (),
            without=without or (),
            for_page=is_page,
            progress=progress,
        )
        keep = protected_files(warehouse)
    if is_page:
        from evalsql.report.page.html_page import page

        write_bytes(page(found, PAGE_DIGITS if digits is None else digits).encode(), output, keep=keep)
        return
    text = StringIO()
    WRITERS[extension](found, text, DIGITS if digits is None else digits)
    write_bytes(text.getvalue().encode(), output, keep=keep)


def _check_sections(option: str, given: Sequence[str] | None, known: Sequence[str]) -> None:
    if unknown := [name for name in given or () if name not in known]:
        raise UsageError(f"{option} {unknown[0]}: there is no such section; it takes {', '.join(known)}")
